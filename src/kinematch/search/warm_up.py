"""Warm-up: compile or load the searches before the first character moves."""

import numpy as np

from kinematch.search.boxes import BoxMatcher
from kinematch.search.exhaustive import ExhaustiveMatcher
from kinematch.search.space import plain_space
from kinematch.search.wide import WideMatcher


def warm_up() -> None:
    """Compile the searches, or load them from the cache. Constructing a matcher does the same for that matcher."""
    for matcher in (WideMatcher, BoxMatcher, ExhaustiveMatcher):
        matcher(plain_space(np.zeros((1, 1), np.float32)))
