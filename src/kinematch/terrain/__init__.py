"""Heights and slopes of the ground."""
