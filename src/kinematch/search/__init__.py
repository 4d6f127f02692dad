"""Matchers: find the frames whose features are nearest to queries; exact unless the name says otherwise."""

from kinematch.search.approximate import ApproximateMatcher
from kinematch.search.boxes import BoxMatcher
from kinematch.search.candidates import Candidates, candidates
from kinematch.search.exhaustive import ExhaustiveMatcher
from kinematch.search.matcher import Matcher, Matches
from kinematch.search.space import SearchSpace, search_space
from kinematch.search.warm_up import warm_up
from kinematch.search.wide import WideMatcher

__all__ = [
    "ApproximateMatcher",
    "BoxMatcher",
    "Candidates",
    "ExhaustiveMatcher",
    "Matcher",
    "Matches",
    "SearchSpace",
    "WideMatcher",
    "candidates",
    "search_space",
    "warm_up",
]
