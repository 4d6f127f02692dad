"""Labels: what a performer does in each frame of a take."""
