"""Matchers: given queries, the frames whose features are nearest; exact unless the name says otherwise."""

from kinematch.search.boxes import BoxMatcher
from kinematch.search.exhaustive import ExhaustiveMatcher
from kinematch.search.matcher import Matcher, Matches
from kinematch.search.space import SearchSpace, search_space
from kinematch.search.warm_up import warm_up
from kinematch.search.wide import WideMatcher

__all__ = [
    "BoxMatcher",
    "ExhaustiveMatcher",
    "Matcher",
    "Matches",
    "SearchSpace",
    "WideMatcher",
    "search_space",
    "warm_up",
]
