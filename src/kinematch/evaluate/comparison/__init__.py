"""Exact, packed and learned motion matching and a state machine side by side: the comparison of *learned MM* 5."""
