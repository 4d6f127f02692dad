"""Learned motion matching: three networks and a small codebook in place of a database."""
