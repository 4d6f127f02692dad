"""Experiments of digital humans on poses: the filtered root (figures 4 and 5), the heel turned to the heading (3.6)."""

from dataclasses import replace

import numpy as np

from kinematch.evaluate.evaluation import field_of
from kinematch.evaluate.reproduction.experiment import Experiment, in_unit, run_course
from kinematch.evaluate.reproduction.material import BUILT_IN, Material
from kinematch.evaluate.reproduction.modes import digital_humans
from kinematch.evaluate.reproduction.results import Chart, Result
from kinematch.evaluate.run import Take
from kinematch.evaluate.scores import feet_of, score
from kinematch.files import read_clip
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion.clean.resample import resample
from kinematch.motion.clean.root import DIRECTION_WINDOW, POSITION_WINDOW, add_root, replace_root
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import global_pose
from kinematch.synth.locomotion import motions, perform

CLIP = "aiming1_subject1_walk"
STAND_IN = "walk_1.35"  # of the built-in motion
SHOWN = 85  # frames of figures 4 and 5
RATE = 60.0
GROUND = [0, 2]


def measure_root(material: Material) -> Result:
    """How far the filtered root is from the hips and from the root before filtering, and how smoothly it turns."""
    path = material.files.get(CLIP)
    if path is not None:
        clip, data = resample(read_clip(path), RATE), f"{CLIP} of LAFAN1"
    else:
        found = next(one for one in motions() if one.name == STAND_IN)
        clip, data = resample(perform(found).clip, RATE), f"{STAND_IN} of {BUILT_IN}; {CLIP} is not at hand"
    # a window of nothing leaves the root as it is
    rooted = {name: _set_root(clip, windows) for name, windows in (
        ("unfiltered", (0.0, 0.0)), ("filtered", (POSITION_WINDOW, DIRECTION_WINDOW)),
    )}  # fmt: skip
    places = {name: one.positions[:, 0, GROUND].astype(float) for name, one in rooted.items()}
    yaws = {name: np.unwrap(yaw_of(one.rotations[:, 0].astype(float))) for name, one in rooted.items()}
    own = rooted["filtered"]
    hips = global_pose(own)[0][:, own.skeleton.roles["hips"]][:, GROUND]
    values = {
        "hips": rms(places["filtered"] - hips), "unfiltered": rms(places["filtered"] - places["unfiltered"]),
        "heading": rms(yaws["filtered"] - yaws["unfiltered"]) ** 2,
    }  # fmt: skip
    for name, yaw in yaws.items():
        values[f"turning_{name}"] = float(np.degrees(np.abs(np.diff(yaw, 2)).mean() * RATE**2))
    times = (np.arange(SHOWN) / RATE).tolist()
    shown = {"hips": hips} | places
    drawn = [
        {name: (times, (100 * place[:SHOWN, axis]).tolist()) for name, place in shown.items()} for axis in range(2)
    ]
    turns = {name: (times, np.degrees(yaw[:SHOWN]).tolist()) for name, yaw in yaws.items()}
    charts = (
        Chart("root-position", "Figure 4: x of hips and root, before and after filtering", "s", "cm", drawn[0]),
        Chart("root-position-z", "Figure 4: z of hips and root, before and after filtering", "s", "cm", drawn[1]),
        Chart("root-heading", "Figure 5: heading of the root, before and after filtering", "s", "degrees", turns),
    )
    return Result(values, data, path is not None, "python docs/figures/experiments.py FOLDER", charts)


def _set_root(clip: Clip, windows: tuple[float, float]) -> Clip:
    make = replace_root if "root" in clip.skeleton.roles else add_root
    return make(clip, position_window=windows[0], direction_window=windows[1])


def rms(values: np.ndarray) -> float:
    """Root mean square over all coordinates."""
    return float(np.sqrt((values**2).mean()))


def measure_heel(material: Material) -> Result:
    """Feet of the course as they are, and turned about their ankles until they point along the root."""
    given, done = run_course(material, "heels", digital_humans(material.locomotion.what))
    field = field_of(given, done.takes)
    turned = [turn_heels(take) for take in done.takes]
    values = {}
    for name, takes in (("", list(done.takes)), ("_turned", turned)):
        values[f"skate{name}"] = in_unit(score(takes, field), "skate_mean")
        apart = [find_apart(take)[0][feet_of(one, field).contact] for take, one in zip(takes, done.takes)]
        values[f"apart{name}"] = float(np.degrees(np.concatenate(apart).mean()))
    named = material.locomotion
    note = "turned after the fact on what was shown, ankles where they were"
    return Result(values, named.data, named.same_data, "", notes=(note,))


def find_apart(take: Take) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2) rad between each foot and the root's heading, without and with its sign."""
    feet = [_point_foot(take, side) for side in ("left", "right")]
    signed = np.stack([wrap_angle(take.root_yaws - yaws) for yaws in feet], axis=1)
    return np.abs(signed), signed


def _point_foot(take: Take, side: str) -> np.ndarray:
    roles = take.skeleton.roles
    way = take.global_positions[:, roles[f"{side}_toes"]] - take.global_positions[:, roles[f"{side}_foot"]]
    return np.arctan2(way[:, 0], way[:, 2]).astype(float)


def turn_heels(take: Take) -> Take:
    """The same take with both feet along the heading; toes go round the ankle, everything else stays."""
    places, (_, signed) = take.global_positions.copy(), find_apart(take)
    for column, side in enumerate(("left", "right")):
        ankle, toes = (take.skeleton.roles[f"{side}_{part}"] for part in ("foot", "toes"))
        arm = (places[:, toes] - places[:, ankle]).astype(float)
        places[:, toes] = places[:, ankle] + rotate_about_y(arm, signed[:, column])
    return replace(take, global_positions=places)


EXPERIMENTS = (
    Experiment("root", "The root before and after filtering", measure_root),
    Experiment("heel", "Heels turned to the heading", measure_heel),
)
