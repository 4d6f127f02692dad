"""The session: the characters that are played, steered, recorded and explained."""
