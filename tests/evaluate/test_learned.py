"""A learned model on the course: scored like exact matching, and told where it fails."""

from kinematch.evaluate.learned import find_targets


def test_targets_are_ratios_of_what_exact_matching_reaches():
    exact = {"skate_mean": 0.02, "position_mean": 0.10, "broken": 0.0, "frozen": 0.0, "stuck": 0.0}
    learned = {"skate_mean": 0.029, "position_mean": 0.131, "broken": 0.0, "frozen": 0.5, "stuck": 0.0}
    met = {target.name: target.met for target in find_targets(learned, exact)}
    assert met == {"skate_mean": True, "position_mean": False, "broken": True, "frozen": False, "stuck": True}
