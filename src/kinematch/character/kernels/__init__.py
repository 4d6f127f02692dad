"""Compiled versions of the stages of a step; each is held equal to its plain definition by a test."""
