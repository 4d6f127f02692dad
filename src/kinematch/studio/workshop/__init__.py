"""Build, Coverage and Clips: the server side of the panels that build and inspect databases."""
