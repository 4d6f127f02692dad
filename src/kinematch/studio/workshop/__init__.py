"""Build, Coverage and Clips: the server's side of the pages that make databases and look into them."""
