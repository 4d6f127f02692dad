"""Acts: what pages ask of the steered character, in the playground and elsewhere."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import ground


def test_a_jump_is_done_when_it_is_asked_for(acts):
    stage = Stage(acts, name="acts")
    stage.acts.ask("jump")
    stage.advance()
    assert stage.crowds["a"].state.acting.stretches[0] >= 0
    with pytest.raises(KinematchError, match="did you mean 'jump'"):
        stage.acts.ask("jumb")


def test_in_the_playground_a_seat_is_used_and_left(acts):
    stage = Stage(acts, name="acts")
    with pytest.raises(KinematchError, match="playground"):
        stage.acts.do("", stage.crowds["a"])
    stage.set_terrain("playground")
    crowd = stage.crowds["a"]
    crowd.teleport([[0.0, 0.0, -3.0]], [0.0])
    stage.acts.do("", stage.crowds["a"])
    for _ in range(300):
        stage.advance()
    assert crowd.state.acting.stretches[0] >= 0
    assert np.linalg.norm(crowd.root_positions[0, [0, 2]] - [0.0, -4.0]) < 0.3
    stage.acts.do("", stage.crowds["a"])
    for _ in range(240):
        stage.advance()
    assert crowd.state.acting.stretches[0] == -1


def test_the_playground_is_drawn_with_its_boxes_and_its_gap(acts):
    stage = Stage(acts, name="acts")
    stage.set_terrain("playground")
    heights = np.array(ground(stage).heights)
    assert heights.min() == pytest.approx(-1.5)
    assert heights.max() == pytest.approx(2.2)
