"""Draws docs/images/walker-*.png, frame strips of the built-in motion, and prints its figures beside those of people.

Run `python docs/figures/walker.py` from the folder of the project; names of pictures draw those alone, `table` prints
the table alone.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.character import Command, Crowd
from kinematch.database.built_in import open_built_in
from kinematch.draw.sheet import contact_sheet
from kinematch.math import rotation
from kinematch.motion.clip import Clip
from kinematch.motion.record import record
from kinematch.synth import motions, perform
from kinematch.synth.measure import elbow, globals_of, hand_asymmetry, knee, speeds, trunk_lean, upper_arm_pitch
from kinematch.synth.walker import SynthClip

DT = 1 / 60
COLUMNS, TILE = 12, (130, 200)
Course = tuple[tuple[float, float, float, float], ...]  # until s, m/s, direction and facing in degrees from +Z to +X
STRAFE: Course = ((1, 0, 0, 0), (5, 0.8, 90, 0))
RUN: Course = ((1, 0, 0, 0), (6, 3.6, 0, 0), (9, 3.6, 180, 180), (12, 0, 180, 180))

# clip, its seconds, a course that a character plays, its seconds and the view of it
PICTURES: dict[str, tuple[str, tuple[float, float], Course, tuple[float, float], str]] = {
    "strafe": ("strafe_0.8", (12.2, 13.35), STRAFE, (3.0, 4.4), "front"),
    "run": ("run_3.6", (4.0, 4.75), RUN, (4.5, 5.25), "side"),
    "turn": ("run_turn_left_180", (4.6, 7.0), RUN, (6.0, 8.0), "front"),
    "stop": ("run_3.6", (7.2, 10.4), RUN, (9.0, 11.6), "side"),
}


def perform_named(name: str) -> SynthClip:
    """A clip of the card, as the database has it."""
    number, motion = next((k, motion) for k, motion in enumerate(motions()) if motion.name == name)
    return perform(motion, seed=[0, number])


def play(course: Course) -> Clip:
    """What a character on the built-in database makes of a course."""
    crowd, poses = Crowd(open_built_in()), []
    for k in range(round(course[-1][0] / DT)):
        _, speed, way, facing = next(part for part in course if k * DT < part[0])
        ahead, face = (np.array([[np.sin(a), 0.0, np.cos(a)]]) for a in np.radians([way, facing]))
        poses.append(crowd.step(Command(speed * ahead, face, "level0"), DT))
    return record(poses, crowd.skeleton, 60)


def draw(name: str) -> Image.Image:
    """The clip from the front and from the side, and below it as a character plays it."""
    clip_name, (start, stop), course, (first, last), view = PICTURES[name]
    clip = perform_named(clip_name).clip
    sheets = [
        contact_sheet(clip, columns=COLUMNS, rows=1, start=start, stop=stop, view=side, tile=TILE)
        for side in ("front", "side")
    ]
    title = f"as a character plays it   {view} view"
    played = play(course)
    sheets.append(
        contact_sheet(played, columns=COLUMNS, rows=1, start=first, stop=last, view=view, tile=TILE, title=title)
    )
    whole = Image.new("RGB", (sheets[0].width, sum(sheet.height for sheet in sheets)))
    for number, sheet in enumerate(sheets):
        whole.paste(sheet, (0, sum(above.height for above in sheets[:number])))
    return whole


def speeds_along(motion: SynthClip) -> np.ndarray:
    """m/s (F,) of the root."""
    return np.linalg.norm(np.gradient(motion.root_positions, motion.clip.dt, axis=0), axis=-1)


def steps_a_minute(motion: SynthClip, own: slice) -> float:
    landings = np.flatnonzero(np.diff(motion.contacts[own, 0].astype(int)) == 1)
    return 120 * motion.clip.frame_rate / float(np.diff(landings).mean())


def span(values: np.ndarray) -> str:
    return f"{values.min():.0f} to {values.max():.0f}"


def measure_gait(name: str) -> dict[str, str]:
    """Figures of a walk or a run at its full speed."""
    motion = perform_named(name)
    fast = np.flatnonzero(speeds_along(motion) > 0.98 * speeds_along(motion).max())
    own = slice(fast[0] + 30, fast[-1] - 30)
    clip = motion.clip
    _, rotations, _ = globals_of(clip)
    chest = np.degrees(rotation.to_euler(rotations[own, clip.skeleton.joint("Spine2")], "YXZ")[:, 0])
    rates = speeds(clip)[own]
    return {
        "cadence, steps/min": f"{steps_a_minute(motion, own):.0f}",
        "stance, % of the stride": f"{100 * motion.contacts[own].mean():.0f}",
        "pelvis, vertical range, cm": f"{100 * np.ptp(clip.positions[own, 0, 1]):.1f}",
        "trunk lean forward, degrees": span(trunk_lean(clip, motion.root_directions)[own]),
        "thorax turn each way, degrees": f"{np.ptp(chest) / 2:.0f}",
        "knee, degrees": span(knee(clip, "Left")[own]),
        "upper arm, degrees ahead": span(upper_arm_pitch(clip, "Left", motion.root_directions)[own]),
        "elbow, degrees": span(elbow(clip, "Left")[own]),
        "fastest knee and elbow, degrees/s": " and ".join(
            f"{rates[:, clip.skeleton.joint('Left' + joint)].max():.0f}" for joint in ("Leg", "ForeArm")
        ),
    }


PEOPLE = {
    "cadence, steps/min": ("110-116", "160-175"),
    "stance, % of the stride": ("60-62", "32-38"),
    "pelvis, vertical range, cm": ("4-5", "8-10"),
    "trunk lean forward, degrees": ("", "4-10"),
    "thorax turn each way, degrees": ("4-7", "10-15"),
    "knee, degrees": ("3 to 65", "swing 90-110"),
    "upper arm, degrees ahead": ("-22 to 15", "-30 to 30"),
    "elbow, degrees": ("10 to 35", "about 90"),
    "fastest knee and elbow, degrees/s": ("600", "1000"),
}


def print_table() -> None:
    walk, run = measure_gait("walk_1.35"), measure_gait("run_3.6")
    print("| | walk 1.35 m/s | people | run 3.6 m/s | people |\n|---|---|---|---|---|")
    for name, (walking, running) in PEOPLE.items():
        print(f"| {name} | {walk[name]} | {walking} | {run[name]} | {running} |")
    print("\n| sidesteps | 0.5 m/s | 0.8 m/s |\n|---|---|---|")
    rows = zip(*(measure_sidesteps(name).items() for name in ("strafe_0.5", "strafe_0.8")))
    for (name, slow), (_, quick) in rows:
        print(f"| {name} | {slow} | {quick} |")
    turn = perform_named("run_turn_left_180")
    fast = np.flatnonzero(speeds_along(turn) > 3.0)
    least = min(elbow(turn.clip, side)[fast[0] : fast[-1]].min() for side in ("Left", "Right"))
    stop = perform_named("run_3.6")
    moving = np.flatnonzero(speeds_along(stop) > 0.1)[-1]
    apart = 100 * hand_asymmetry(stop.clip)[[moving + 1, moving + 31]]
    print(f"\nElbow through the run's turn of 180 degrees: at least {least:.0f} degrees.")
    print(f"One hand to the mirror image of the other, as the run stops: {apart[0]:.1f} cm at 0.1 m/s,")
    print(f"{apart[1]:.1f} cm half a second later.")


def measure_sidesteps(name: str) -> dict[str, str]:
    """Figures of the steps straight to a side."""
    motion = perform_named(name)
    clip = motion.clip
    velocities = np.gradient(motion.root_positions, clip.dt, axis=0)
    ahead = np.abs(np.sum(velocities * motion.root_directions, -1))
    own = (ahead < 0.1) & (speeds_along(motion) > 0.95 * speeds_along(motion).max())
    positions, rotations, _ = globals_of(clip)
    feet = positions[own, clip.skeleton.joint("LeftFoot"), 0] - positions[own, clip.skeleton.joint("RightFoot"), 0]
    chest = np.degrees(rotation.to_euler(rotations[own, clip.skeleton.joint("Spine2")], "YXZ"))
    return {
        "feet apart, cm": span(100 * feet),
        "knee, degrees": span(knee(clip, "Left")[own]),
        "thorax turn each way, degrees": f"{np.ptp(chest[:, 0]) / 2:.0f}",
        "thorax sway each way, degrees": f"{np.ptp(chest[:, 2]) / 2:.0f}",
        "elbow, degrees": span(elbow(clip, "Left")[own]),
    }


if __name__ == "__main__":
    chosen = sys.argv[1:] or [*PICTURES, "table"]
    for name in chosen:
        if name == "table":
            print_table()
        else:
            draw(name).save(Path("docs/images") / f"walker-{name}.png", optimize=True)
