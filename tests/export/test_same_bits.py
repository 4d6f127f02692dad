"""The exported step plays as the crowd does: the same bits in a page and a library, the same frames in Python."""

import json
import subprocess

import numpy as np
import pytest

import kinematch as km
from kinematch.character.settings import Settings
from kinematch.export.character import pack, write_character
from kinematch.export.native.kinematch_native import Characters, NativeError

FUSED = 1e-5  # m, by which fused multiply-add may move a joint

SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
import { Kinematch } from "./kinematch.js";
const [data, given, out] = process.argv.slice(2);
const own = await Kinematch.load({ wasm: readFileSync("step.wasm"), data: readFileSync(data) });
const parts = [];
for (const velocity of JSON.parse(readFileSync(given))) {
  own.command({ velocity, facing: velocity });
  own.step(1 / 60);
  parts.push(Buffer.from(own.pose.globalPositions.slice().buffer));
}
writeFileSync(out, Buffer.concat(parts));
"""


@pytest.fixture(scope="module")
def play_page(page, tmp_path_factory):
    """play_page(data, velocities): global positions (S, J, 3) in Node."""

    def run(data: bytes, velocities: np.ndarray) -> np.ndarray:
        folder = tmp_path_factory.mktemp("run")
        (folder / "data").write_bytes(data)
        (folder / "given").write_text(json.dumps(velocities.tolist()))
        (page / "run.js").write_text(SCRIPT)
        given = [str(folder / name) for name in ("data", "given", "out")]
        subprocess.run(["node", "run.js", *given], cwd=page, check=True, timeout=120)
        return np.fromfile(folder / "out", np.float32).reshape(len(velocities), -1, 3)

    return run


def step_crowd(source, velocities, **given) -> tuple[np.ndarray, np.ndarray]:
    crowd = km.Crowd(source, **given)
    poses = [crowd.step(km.move(velocity, velocity), 1 / 60) for velocity in velocities]
    return np.array([pose.frames[0] for pose in poses]), np.stack([pose.global_positions[0] for pose in poses])


def assert_same(data, source, velocities, play, play_page, **given):
    frames, places = play(data, velocities)
    assert np.array_equal(places, play_page(data, velocities))
    crowd_frames, crowd_places = step_crowd(source, velocities, **given)
    assert np.array_equal(frames, crowd_frames)
    assert np.abs(places - crowd_places).max() < FUSED


def test_a_database_plays_alike_everywhere(walker, walker_data, stick, play, play_page):
    assert_same(walker_data, walker, stick, play, play_page)


def test_a_packed_database_plays_alike_everywhere(walker, stick, play, play_page):
    packed = pack(walker)
    assert_same(write_character(packed), packed, stick, play, play_page)


@pytest.mark.parametrize("transition", ["quintic", "dead"])
def test_settings_go_along(walker, stick, play, play_page, transition):
    chosen = Settings(transition=transition, velocity_halflife=0.2, responsiveness=2.0, rate_change=0.1)
    data = write_character(walker, settings=chosen)
    assert_same(data, walker, stick[:120], play, play_page, settings=chosen)


def test_several_characters_move_as_in_a_crowd(walker, walker_data, library, stick):
    count = 5
    own, crowd = Characters(library, walker_data, count), km.Crowd(walker, count)
    speeds = np.linspace(0.2, 1.6, count)[:, None]
    for velocity in stick[:120]:
        for n in range(count):
            own.command(speeds[n] * velocity, velocity, n)
        own.step(1 / 60)
        pose = crowd.step(km.move(speeds * velocity, np.repeat(velocity[None], count, axis=0)), 1 / 60)
    assert np.array_equal(own.array("pose.frames"), pose.frames)
    assert np.abs(own.array("pose.global_positions") - pose.global_positions).max() < FUSED


def test_commands_choose_filters_and_sources(walker, library, stick):
    data = write_character([walker, walker], filters=["idle"])
    own, crowd = Characters(library, data), km.Crowd([walker, walker])
    for i, velocity in enumerate(stick[:150]):
        given = {"filter": int(i > 90), "source": int(i > 50)}
        own.command(velocity, velocity, **given)
        own.step(1 / 60)
        named = "idle" if given["filter"] else None
        pose = crowd.step(km.move(velocity, velocity, filter=named, source=given["source"]), 1 / 60)
    assert own.array("pose.frames")[0] == pose.frames[0]
    assert own.array("pose.sources")[0] == pose.sources[0] == 1
    with pytest.raises(NativeError, match="out of range"):
        own.command((0, 0, 0), source=2)


def test_a_restored_state_leads_to_the_same_bits(walker_data, library, stick):
    own = Characters(library, walker_data)
    places = own.array("pose.global_positions")

    def run(velocities):
        for velocity in velocities:
            own.command(velocity, velocity)
            own.step(1 / 60)
        return places.copy()

    run(stick[:60])
    kept = own.save()
    wrong = run(-stick[60:70])
    own.restore(kept)
    assert own.save() == kept
    right = run(stick[60:120])
    other = Characters(library, walker_data)
    other.restore(kept)
    own, places = other, other.array("pose.global_positions")
    assert np.array_equal(right, run(stick[60:120]))
    assert not np.array_equal(right, wrong)


def test_states_of_others_are_refused(walker_data, library):
    own = Characters(library, walker_data)
    state = own.save()
    for wrong in (state[:-8], state + bytes(8), bytes(len(state)), Characters(library, walker_data, 2).save()):
        with pytest.raises(NativeError, match="state"):
            own.restore(wrong)


def test_whatever_is_written_into_the_state_nothing_crashes(walker_data, library, stick):
    own, random = Characters(library, walker_data), np.random.default_rng(3)
    size = len(own.save())
    for _ in range(200):
        state = bytearray(own.save())
        for place in random.integers(32, size, 20):
            state[place] = random.integers(256)
        own.restore(bytes(state))
        own.command((0, 0, 1.2))
        own.step(1 / 60)
    assert np.isfinite(own.array("pose.global_positions")).all()


def test_a_teleported_character_goes_on_there(walker, walker_data, library):
    own, crowd = Characters(library, walker_data), km.Crowd(walker)
    own.teleport((3, 0.5, -2), 1.0)
    crowd.teleport([3, 0.5, -2], 1.0)
    for _ in range(30):
        own.command((0, 0, 1.2), (0, 0, 1))
        own.step(1 / 60)
        pose = crowd.step(km.move([0, 0, 1.2]), 1 / 60)
    assert np.abs(own.array("pose.global_positions") - pose.global_positions).max() < FUSED
    with pytest.raises(NativeError, match="not finite"):
        own.teleport((np.nan, 0, 0))


def test_what_is_not_finite_is_refused(walker_data, library):
    own = Characters(library, walker_data)
    with pytest.raises(NativeError, match="not finite"):
        own.command((np.inf, 0, 0))
    own.array("orders.velocities")[0, 0] = np.nan
    with pytest.raises(NativeError, match="not finite"):
        own.step(1 / 60)
    with pytest.raises(NativeError, match="out of range"):
        own.step(-1.0)
