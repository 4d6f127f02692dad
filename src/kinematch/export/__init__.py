"""Export: the character for places without Python: the step compiled ahead of time, and data files that it plays."""
