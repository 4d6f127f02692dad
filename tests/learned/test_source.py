"""Learned characters: laws that hold whatever the networks have learned."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tests.character.states import open_stages

import kinematch as km
from kinematch.character.step.runs import advance_runs
from kinematch.database.run_path_kernels import predict_frame
from kinematch.errors import KinematchError
from kinematch.learned.model_file import save_model
from kinematch.learned.source import LearnedSource

DT = 1 / 60


def walk(crowd, steps, **more):
    """Under a command that turns."""
    paths = [np.tile([np.sin(n / 40), 0, np.cos(n / 40)], (crowd.count, 1)) for n in range(steps)]
    return [crowd.step(km.move(path, **more), DT).copy() for path in paths]


@pytest.fixture(scope="module")
def model(random_model):
    return random_model()


def test_one_character_moves_as_it_does_among_many(model):
    alone, among = walk(km.Crowd(model), 90), walk(km.Crowd(model, 6), 90)
    assert any(pose.jumped[0] for pose in alone)
    for one, many in zip(alone, among):
        np.testing.assert_array_equal(one.global_positions[0], many.global_positions[0])


def test_a_restored_state_goes_on_bit_for_bit(model):
    crowd = km.Crowd(model, 3)
    walk(crowd, 37)
    kept = crowd.state.copy()
    first = walk(crowd, 50)
    crowd.restore(kept)
    for one, again in zip(first, walk(crowd, 50)):
        for mine, theirs in zip(one, again):
            np.testing.assert_array_equal(mine, theirs)


def test_uncompiled_steps_show_the_same(model):
    fast, slow = (walk(km.Crowd(model, 2, compiled=compiled), 40) for compiled in (True, False))
    for one, other in zip(fast, slow):
        np.testing.assert_array_equal(one.jumped, other.jumped)
        np.testing.assert_allclose(one.global_positions, other.global_positions, atol=2e-3)


def test_exact_and_learned_characters_share_a_crowd(model, database):
    crowd = km.Crowd([database, model], 2)
    for source in (0, 1, 0):
        poses = walk(crowd, 20, source=[source, 1])
        assert poses[-1].sources.tolist() == [source, 1]
        assert (poses[-1].frames[0] >= 0) == (source == 0)
        assert poses[-1].frames[1] == -1


def test_the_length_of_steps_does_not_matter(model):
    def run(pieces):
        crowd = km.Crowd(model, compiled=False)
        data, scratch = open_stages(crowd)
        scratch.block[0], place, yaw = 0, np.zeros(2), 0.0
        for _ in range(pieces):
            advance_runs(data, scratch, 1, 0.2 / pieces)
            x, z, turn = data.work.motions[0, :3]
            place += [np.cos(yaw) * x + np.sin(yaw) * z, np.cos(yaw) * z - np.sin(yaw) * x]
            yaw += turn
        return place, yaw, crowd.state.sources[0]["frames"], crowd.fractions

    place, yaw, frames, fractions = run(1)
    for pieces in (7, 12, 40):
        other_place, other_yaw, other, other_fractions = run(pieces)
        np.testing.assert_allclose(other_place, place, atol=1e-5)
        assert other_yaw == pytest.approx(yaw, abs=1e-5)
        assert abs((other_fractions[0] - fractions[0] + 0.5) % 1 - 0.5) < 1e-6
        if abs(other_fractions[0] - fractions[0]) < 0.5:
            np.testing.assert_allclose(other, frames, atol=1e-4)


def test_a_projection_enters_an_entry_of_the_codebook_that_the_filter_admits(model):
    crowd = km.Crowd(model, 4)
    walk(crowd, 30, filter="walk & turn")
    entries = crowd.state.sources[0]["entries"]
    tags, names = model.codebook.tags[entries], model.tag_names
    assert tags[:, names.index("walk")].all()
    assert tags[:, names.index("turn")].all()


def test_a_run_follows_its_clip_by_a_smooth_curve_through_the_entries(model):
    """Against scipy's Hermite spline with the slopes of Catmull-Rom."""
    crowd = km.Crowd(model, compiled=False)
    data, scratch = open_stages(crowd)
    table, book = data.sources[0], model.codebook
    last, stride = int(table.runs.last[0]), table.runs.stride
    values = book.restore(slice(0, last + 1)).astype(np.float64)
    curve = CubicSpline(np.arange(last + 1), values, bc_type="natural")
    table.runs.entries[0] = 0
    for steps in range(last * stride):
        predict_frame(table, 0, steps, scratch, 0)
        np.testing.assert_allclose(scratch.inputs[0], curve(steps / stride), atol=1e-4)
    assert last > 3


def test_past_its_clip_the_stepper_leads_a_run_on(model):
    source = LearnedSource(model)
    crowd = km.Crowd(source, compiled=False)
    data, scratch = open_stages(crowd)
    table = data.sources[0]
    for entry in (int(table.runs.last[0]), -1):
        table.runs.entries[0] = entry
        predict_frame(table, 0, 1, scratch, 0)
        expected = source.step_frames(crowd.state.sources[0]["frames"][:1, 0])[0]
        np.testing.assert_allclose(scratch.inputs[0], expected, atol=1e-4)


def test_a_run_ends_soon_after_its_clip(model):
    projector, book = LearnedSource(model).projector, model.codebook
    last = book.clip_stops[0] - 1
    steps = np.arange(0, 40, dtype=np.int32)
    ended = projector.find_ended(np.full(40, last, np.int32), steps)
    assert not ended[0]
    assert ended[-1]
    assert not projector.find_ended(np.zeros(1, np.int32), steps[-1:])[0]


def test_time_is_kept_in_frames_of_the_database(model):
    crowd = km.Crowd(model)
    before = crowd.sources[0].find_frames(crowd.state.give_to(0), crowd.characters)
    pose = crowd.step(km.move([0, 0, 0]), 0.11)
    assert not pose.jumped[0]
    after = crowd.sources[0].find_frames(crowd.state.give_to(0), crowd.characters)
    assert after - before == 6


def test_characters_that_stand_begin_in_an_idle_clip(model):
    entry = km.Crowd(model).state.sources[0]["entries"][0]
    assert model.codebook.tags[entry, model.tag_names.index("idle")]


def test_a_filter_that_admits_nothing_is_told(model):
    with pytest.raises(KinematchError, match="admits none"):
        walk(km.Crowd(model), 1, filter="walk & !walk")
    with pytest.raises(KinematchError, match="no tag"):
        walk(km.Crowd(model), 1, filter="wlak")


def test_whatever_is_written_into_the_state_a_character_goes_on(model):
    for value in (np.nan, np.inf, -1e30, 2**31 - 1):
        crowd, other = km.Crowd(model, 2), km.Crowd(model, 2)
        for array in crowd.state.sources[0].values():
            array[0] = value if array.dtype.kind == "f" else 2**31 - 1
        for pose, whole in zip(walk(crowd, 20), walk(other, 20)):
            assert np.isfinite(pose.global_positions).all()
            np.testing.assert_array_equal(pose.global_positions[1], whole.global_positions[1])


def test_a_projector_network_takes_the_place_of_the_search(random_model):
    model = random_model(projector=True)
    crowd = km.Crowd(model, 2)
    poses = walk(crowd, 70)
    assert any(pose.jumped.any() for pose in poses)
    assert (crowd.state.sources[0]["entries"] == -1).all()


def test_settings_reach_the_search(model, database):
    source = LearnedSource(model)
    source.projector.change_settings(km.Settings(responsiveness=2.0, weights={"hips_velocity": 3.0}))
    columns = model.schema.columns
    assert (source.projector.matcher.weights[columns["hips_velocity"]] == 3.0).all()
    assert (source.projector.matcher.weights[columns["trajectory_position"]] == 2.0).all()
    with pytest.raises(KinematchError, match="no feature"):
        km.Crowd(model, settings=km.Settings(weights={"hip": 1.0}))


def test_a_sketch_shows_the_entries_of_the_codebook(model):
    from kinematch.learned.sketch import SketchCrowd, sketch_database

    sketch = sketch_database(model)
    assert sketch.poses.frame_count == model.codebook.entry_count
    assert sketch.poses.tags.names == model.tag_names
    np.testing.assert_array_equal(sketch.poses.clip_stops, model.codebook.clip_stops)
    crowd = SketchCrowd(model, sketch, 2)
    walk(crowd, 30)
    assert ((crowd.frames >= 0) & (crowd.frames < sketch.poses.frame_count)).all()
    assert crowd.database is sketch


def test_the_studio_plays_a_model(model, tmp_path):
    from kinematch.studio.session.opening import open_path

    km.save(tmp_path / "a.kinematch-model", model)
    stage = open_path(tmp_path / "a.kinematch-model")
    before = stage.shown
    for _ in range(3):
        stage.advance()
    assert stage.shown != before
    stage.set_crowd(3)
    stage.advance()
    assert stage.crowd_size == 3


WRITER = """
import sys, threading, time
import numpy as np
import kinematch as km

crowd, command, written = km.Crowd(km.load(sys.argv[1]), 40), km.move(np.tile([0.0, 0.0, 1.0], (40, 1))), 0
crowd.step(command, 1 / 60)  # compiled before the time begins
stop = time.monotonic() + float(sys.argv[2])
own = [crowd.state.sources[0][name] for name in ("steps", "entries")]


def write():
    global written
    while time.monotonic() < stop:
        for array in own:
            array[:] = 0
            array[:] = (-(2**31), 2**31 - 1, 7, -7)[written % 4]
        written += 1
        if written % 50 == 0:
            time.sleep(0.0005)


thread, steps = threading.Thread(target=write), 0
thread.start()
while time.monotonic() < stop:
    crowd.step(command, 1 / 60)
    steps += 1
thread.join()
assert written > 100 and steps > 10, (written, steps)
print("alive")
"""


def test_a_thread_that_writes_the_state_of_runs_during_a_step_cannot_crash_it(model, tmp_path):
    """In a child process, which a crash would end."""
    path = tmp_path / "small.kinematch-model"
    save_model(path, model)
    given = [sys.executable, "-c", WRITER, str(path), "8"]
    done = subprocess.run(given, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-2000:]}"
    assert done.stdout.endswith("alive\n")
