"""Characters of the gallery: whole humanoids of other builds, whose feet stand on the floor."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.motion.kinematics import tpose
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.studio.session.avatar_mesh import read_character
from kinematch.studio.session.gallery import FIGURES, make_figure
from kinematch.synth.skeleton import skeleton


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_read_like_any_character_and_has_its_own_build(name, tmp_path):
    path = tmp_path / f"{name}.glb"
    path.write_bytes(make_figure(name))
    worn = read_character(path, path.name)
    places, _ = tpose(worn.skeleton)
    roles = worn.skeleton.roles
    assert set(skeleton().roles) <= set(roles)
    assert 0 < places[roles["left_toes"], 1] < 0.05
    leg = np.linalg.norm(places[roles["left_foot"]] - places[roles["left_upper_leg"]])
    own, _ = tpose(skeleton())
    usual = np.linalg.norm(own[skeleton().roles["left_foot"]] - own[skeleton().roles["left_upper_leg"]])
    assert leg / usual == pytest.approx(FIGURES[name].legs, rel=1e-3)
    Retargeting(skeleton(), worn.skeleton)


def test_unknown_figures_are_named():
    with pytest.raises(KinematchError, match="Child"):
        make_figure("Chid")
