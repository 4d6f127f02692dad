"""Springs of a step: each is that of its setting."""

from kinematch.character.constants import TOE_GROUND_SHARE
from kinematch.character.settings import Settings, make_knobs
from kinematch.character.step.springs import make_springs
from kinematch.math.spring_kernels import make_spring


def test_each_spring_of_a_step_has_the_half_life_of_its_setting():
    names = ("velocity", "facing", "transition", "lock", "unlock", "pelvis", "ground")
    halflives = {f"{name}_halflife": 0.1 + 0.05 * i for i, name in enumerate(names)}
    gaps = {f"{name}_halflife": 0.6 + 0.05 * i for i, name in enumerate(("synchronization", "adjustment", "turn"))}
    by = make_springs(make_knobs(Settings(**halflives, **gaps)), 0.03)
    for name in names:
        assert getattr(by, name) == make_spring(halflives[f"{name}_halflife"], 0.03)
    assert by.toe_ground == make_spring(TOE_GROUND_SHARE * halflives["ground_halflife"], 0.03)
    for name in ("synchronization", "adjustment", "turn"):
        assert getattr(by, name) == 0.5 ** (0.03 / gaps[f"{name}_halflife"])
    assert by.dt == 0.03
