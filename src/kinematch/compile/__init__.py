"""Numba plumbing: the decorator and its cache, handles, vector lanes, threads; nothing about motion."""
