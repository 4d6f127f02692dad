"""Motion matching in Python: from raw motion capture to a steerable full-body character."""

__version__ = "0.1.0"
