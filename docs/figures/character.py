"""Draws docs/images/character-*.png: what each setting of a character does, on the built-in database.

Run `python docs/figures/character.py` from the folder of the project; names of pictures draw those alone.
"""

import sys
from pathlib import Path

import numpy as np
from board import Board
from character_feet import draw_feet, draw_ground
from PIL import Image
from stage import CORNER, COURSE, DT, UPRIGHT, WALK, Run, Stage, called, command, curves, knee_angles, searches

from kinematch.character import Settings
from kinematch.draw.sheet import strip
from kinematch.motion.record import record


def draw_step(stage: Stage) -> Image.Image:
    """What is asked, what the simulated body makes of it, and what is shown."""
    asked = ((1.0, 0, 0), (3.5, WALK, 0), (5.0, 2.8, 70), (7.0, 0, 70))
    run, crowd = stage.run(asked), stage.crowd
    crowd.restore(stage.first)
    steps = [crowd.step(command(asked, k * DT), DT) for k in range(len(run.times))]
    clip = record(steps, stage.database.poses.skeleton, 60)
    seen = strip(clip, count=12, start=1.0, stop=6.8, height=270, width=1080)
    wanted = np.array([np.linalg.norm(command(asked, time - DT).velocities) for time in run.times])
    moved = np.linalg.norm(np.diff(run.roots, axis=0, prepend=run.roots[:1]), axis=-1) / DT
    lines = {"asked": wanted, "simulated": run.speeds, "shown": moved}
    board = Board(1, 1, (1080, 300))
    told = "speeds; dashes: jumps to another place of the database. Stand, walk, turn and run, stop"
    board.lines(
        "asked, simulated, shown",
        told,
        {name: (run.times, values) for name, values in lines.items()},
        x="seconds",
        y="m/s",
        marks=run.times[run.jumped & (run.times > 0.5)] - DT,
    )
    whole = Image.new("RGB", (1080, 570))
    whole.paste(seen, (0, 0))
    whole.paste(board.canvas.finished(), (0, 270))
    return whole


def draw_standing(stage: Stage) -> Image.Image:
    board = Board(1, 1, (1080, 190))
    asked = ((2.5, WALK, 0), (20.0, 0, 0))
    runs = {"with idles": stage.run(asked), "without": stage.run(asked, filter=f"{UPRIGHT} & !idle")}
    told = "grey: a search; coloured: a jump; a stop is asked at the dashes"
    board.timeline("standing", told, searches(runs), end=20, marks=(2.5,))
    return board.canvas.finished()


def draw_body(stage: Stage) -> Image.Image:
    board = Board(3, 1)
    runs = stage.variants("velocity_halflife", (0.1, 0.4, 0.8), ((0.5, 0, 0), (3.0, WALK, 0), (5.0, 0, 0)))
    told = "speed of the simulated body; walk and stop asked at the dashes"
    board.lines("velocity_halflife", told, curves(runs, lambda r: r.speeds), x="seconds", y="m/s", marks=(0.5, 3.0))
    runs = stage.variants("velocity_halflife", (0.1, 0.4, 0.8), CORNER)
    way = np.array([[0, 0], [0, runs["0.4 s (default)"].body[119, 1]]])
    told = "the simulated body from above, asked to turn left; a dot each 0.5 s"
    board.ways("velocity_halflife", told, {n: r.body[:260] for n, r in runs.items()}, dots=30, asked=way)
    runs = stage.variants("facing_halflife", (0.1, 0.3, 0.6), ((0.5, 0, 0), (2.5, 0, 120)))
    told = "facing of the simulated body; 120 degrees asked at the dashes"
    board.lines(
        "facing_halflife", told, curves(runs, lambda r: np.degrees(r.body_yaws)), x="seconds", y="degrees", marks=(0.5,)
    )
    return board.canvas.finished()


def draw_search(stage: Stage) -> Image.Image:
    board = Board(3, 2)
    told = "grey: a search; coloured: a jump; 90 degrees asked at the dashes"
    for name, values in (
        ("search_interval", (0.05, 0.15, 0.5)),
        ("stay_bias", (0.0, 0.2, 1.0)),
        ("ignore", (0.0, 0.33, 1.0)),
    ):
        runs = stage.variants(name, values, ((2.5, WALK, 0), (5.0, WALK, 90)))
        board.timeline(name, told, searches(runs), end=5, marks=(2.5,))
    slow = {"search_interval": 0.8}
    told = "search_interval 0.8 s; 30, 60, 120 degrees asked at the dashes"
    swings = ((1.2, WALK, 0), (2.1, WALK, 30), (3.5, WALK, -30), (5.0, WALK, 90))
    for name, values, other in (
        ("velocity_change", (0.1, 0.5, 2.0), "facing_change"),
        ("facing_change", (0.3, 0.6, 1.5), "velocity_change"),
    ):
        runs = stage.variants(name, values, swings, slow | {other: 4.0})
        board.timeline(name, told, searches(runs), end=5, marks=(1.2, 2.1, 3.5))
    waggle = tuple((0.2 * k, WALK, (-1) ** k * 60) for k in range(1, 16))
    runs = stage.variants("forced_interval", (0.0, 0.1, 0.4), waggle, slow)
    told = "search_interval 0.8 s; 120 degrees asked at each of the dashes"
    board.timeline("forced_interval", told, searches(runs), end=3, marks=tuple(0.2 * k for k in range(1, 15)))
    return board.canvas.finished()


def draw_weights(stage: Stage) -> Image.Image:
    board = Board(2, 2, (540, 310))
    for name in ("responsiveness", "quality"):
        runs = stage.variants(name, (0.2, 1.0, 5.0), ((2.0, 2.8, 0), (4.5, 2.8, 135)), {"clamp_distance": 0.0})
        told = "run and turn, from above, clamp off; grey: simulated body"
        grey = runs["1 (default)"].body
        board.ways(name, told, {n: r.roots[90:] for n, r in runs.items()}, asked=grey[90:], dots=30)
    values = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
    random = np.random.default_rng(5)
    course = tuple((1.5 * k, random.choice([WALK, 2.8]), random.uniform(-180, 180)) for k in range(1, 28))
    bare = {"transition": "none", "foot_lock": False, "pelvis": False, "clamp_distance": 0.0}
    runs = stage.variants("responsiveness", values, course, bare).values()
    lines = {
        "distance to the body, cm": (np.array(values), np.array([run.gaps.mean() for run in runs])),
        "joints' step at jumps, mm": (np.array(values), np.array([10 * steps_at_jumps(run).mean() for run in runs])),
    }
    told = "means over 40 s of sharp turns: closer, but rougher jumps"
    board.lines("responsiveness", told, lines, x="responsiveness", y="cm or mm", marks=(1.0,), log=True)
    shares = {"0.1": 0.1, "1 (default)": 1.0, "5": 5.0}
    each = {
        name: Settings(weights={"trajectory_direction": share}, clamp_angle=0.0, turn_halflife=0.0)
        for name, share in shares.items()
    }
    told = "of the feature trajectory_direction: angle to the body's facing, clamp and adjustment off"
    turns = curves({name: stage.run(COURSE, own) for name, own in each.items()}, lambda r: r.turn_gaps)
    marks = tuple(until for until, _, _ in COURSE[:-1])
    board.lines("weights", told, turns, x="seconds", y="degrees", marks=marks)
    return board.canvas.finished()


def steps_at_jumps(run: Run) -> np.ndarray:
    """cm that joints move in the step of each jump, as seen from the root."""
    seen = run.joints - run.joints[:, :1]
    steps = np.linalg.norm(np.diff(seen, axis=0, prepend=seen[:1]), axis=-1).mean(axis=-1)
    return 100 * steps[run.jumped]


def draw_transition(stage: Stage) -> Image.Image:
    """One and the same jump, taken up by each kind and by springs of several half-lives; no search follows."""
    board, crowd, lead = Board(2, 1, (540, 340)), stage.crowd, 12
    plain = {"foot_lock": False, "pelvis": False}
    calm = plain | {"search_interval": 2.0, "velocity_change": 10.0, "facing_change": 4.0}
    crowd.settings = Settings(transition="none", **plain)
    crowd.restore(stage.first)
    states, poses, jumps = [], [], []
    for k in range(round(COURSE[-1][0] / DT)):
        states.append(crowd.state.copy())
        shown = crowd.step(command(COURSE, k * DT), DT)
        poses.append(shown.global_positions[0])
        jumps.append(shown.jumped[0])
    angles = knee_angles(np.array(poses))
    alone = [k for k in np.flatnonzero(jumps) if k > lead and not any(jumps[k - lead : k])]
    jump = max(alone, key=lambda k: abs(angles[k] - angles[k - 1]))

    def line(**own) -> tuple[np.ndarray, np.ndarray]:
        crowd.restore(states[jump])
        crowd.settings = Settings(**plain | own)
        after = []
        for k in range(36):
            after.append(crowd.step(command(COURSE, (jump + k) * DT), DT).global_positions[0])
            crowd.settings = Settings(**calm | own)
        whole = np.concatenate([angles[jump - lead : jump], knee_angles(np.array(after))])
        return DT * (np.arange(len(whole)) - lead + 0.5), whole

    names = {"none": "none", "spring": "spring (default)", "quintic": "quintic", "dead": "dead"}
    lines = {name: line(transition=kind) for kind, name in names.items()}
    told = "bend of the left knee around one and the same jump"
    board.lines("transition", told, lines, x="seconds from the jump", y="degrees", marks=(0.0,))
    lines = {called("transition_halflife", h): line(transition_halflife=h) for h in (0.05, 0.17, 0.4)}
    told = "the same with springs: the longer, the softer, and the longer it is not the clip that is shown"
    board.lines("transition_halflife", told, {"none": line(transition="none")} | lines, x="seconds from the jump",
                y="degrees", marks=(0.0,))  # fmt: skip
    return board.canvas.finished()


def draw_adjustment(stage: Stage) -> Image.Image:
    board = Board(3, 3)
    marks = tuple(until for until, _, _ in COURSE[:-1])
    loose = {"clamp_distance": 0.0, "clamp_angle": 0.0}
    gap = "root to simulated body", "cm", lambda run: run.gaps
    turn = "between their facings", "degrees", lambda run: run.turn_gaps
    for name, values, base, (told, unit, value) in (
        ("adjustment_halflife", (0.0, 0.1, 0.3), loose, gap),
        ("adjustment_ratio", (0.05, 0.2, 0.6), loose, gap),
        ("synchronization_halflife", (0.0, 0.1, 0.5), loose, gap),
        ("turn_halflife", (0.0, 0.1, 0.3), loose, turn),
        ("turn_ratio", (0.05, 0.8, 2.0), loose, turn),
        ("clamp_angle", (0.0, 0.4, 1.2), {"turn_halflife": 0.0}, turn),
        ("clamp_distance", (0.0, 0.1, 0.3), {"adjustment_halflife": 0.0}, gap),
    ):
        runs = stage.variants(name, values, COURSE, base)
        free = ", clamps off" if base is loose else ", adjustment off"
        board.lines(name, f"{told}{free}; dashes: new commands", curves(runs, value), x="seconds", y=unit, marks=marks)
    between = ((1.0, 0, 0), (8.0, 1.75, 0))
    runs = stage.variants("rate_change", (0.0, 0.1, 0.3), between, {"clamp_distance": 0.0})
    told = "how fast clips play; 1.75 m/s asked, between walk and run"
    board.lines("rate_change", told, curves(runs, playback, 1.0), x="seconds", y="of their own speed")
    told = "root to simulated body, clamp off"
    board.lines("rate_change", told, curves(runs, lambda r: r.gaps), x="seconds", y="cm", marks=(1.0,))
    return board.canvas.finished()


def playback(run: Run) -> np.ndarray:
    """Seconds of the clip a second, over a quarter of a second; jumps are left out."""
    rates = np.diff(
        run.frames, prepend=run.frames[0]
    )  # the database has 60 frames a second, as many as there are steps
    good = ~run.jumped & (rates > 0) & (rates < 2)
    filled = np.interp(np.arange(len(rates)), np.flatnonzero(good), rates[good])
    return np.convolve(np.pad(filled, 7, mode="edge"), np.ones(15) / 15, mode="valid")


PICTURES = {
    "step": draw_step,
    "standing": draw_standing,
    "body": draw_body,
    "search": draw_search,
    "weights": draw_weights,
    "transition": draw_transition,
    "adjustment": draw_adjustment,
    "feet": draw_feet,
    "ground": draw_ground,
}


def main() -> None:
    folder = Path(__file__).parents[1] / "images"
    stage = Stage()
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name](stage).quantize(224).save(folder / f"character-{name}.png", optimize=True)


if __name__ == "__main__":
    main()
