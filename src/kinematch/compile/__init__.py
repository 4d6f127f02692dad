"""Numba plumbing: the decorator and its cache, handles, vector lanes; nothing about motion."""
