"""Laws of normalisation, weights, and which frames may be matched."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from kinematch.database.feature_database import Weights, build_features, find_targets
from kinematch.database.features import Feature
from kinematch.database.poses import ClipEntry, Mark
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.errors import KinematchError

SCHEMA = FeatureSchema(default_features())


@pytest.fixture(scope="module")
def poses(database, walk):
    return database(walk("a", turn=0.5, speed=1.0), walk("b", turn=-1.0, speed=2.0), walk("c", speed=3.0))


def build(poses, schema=SCHEMA, **more):
    return build_features(poses, schema, warn=lambda message: None, **more)


def test_blocks_have_mean_zero_and_mean_deviation_one(poses):
    built = build(poses)
    np.testing.assert_allclose(built.values.mean(axis=0), 0, atol=1e-4)
    for columns in SCHEMA.columns.values():
        assert built.values[:, columns].std(axis=0).mean() == pytest.approx(1, abs=1e-4)
        assert len(set(built.scale[columns].tolist())) == 1


def test_columns_have_mean_zero_and_deviation_one_each_unless_constant(poses):
    built = build(poses, normalisation="column")
    deviation = built.values.std(axis=0)
    assert np.all((np.abs(deviation - 1) < 1e-4) | ((built.scale == 1) & (deviation < 1e-4)))


def test_without_normalisation_values_are_physical(poses):
    built = build(poses, normalisation="none")
    np.testing.assert_array_equal(built.values, SCHEMA.build(poses))
    with pytest.raises(KinematchError, match="did you mean 'block'"):
        build(poses, normalisation="blocks")


def test_normalising_the_physical_features_gives_the_values_back(poses):
    built = build(poses)
    np.testing.assert_allclose(built.normalise(built.physical()), built.values, atol=1e-5)
    np.testing.assert_allclose(built.physical(), SCHEMA.build(poses), atol=1e-5)
    np.testing.assert_array_equal(built.normalise(SCHEMA.build(poses)), built.values)


def test_a_constant_feature_gets_scale_one_and_a_warning(poses):
    with pytest.warns(UserWarning, match="'hips_height' is the same on every frame"):
        built = build_features(poses, FeatureSchema((Feature("height", "hips"), Feature("velocity", "hips"))))
    assert built.scale[0] == 1
    assert np.abs(built.values[:, 0]).max() < 1e-6


def test_a_constant_column_of_a_column_normalised_block_is_named(poses):
    found = []
    build_features(poses, FeatureSchema((Feature("position", "left_foot"),)), normalisation="column", warn=found.append)
    assert found == [
        "feature 'left_foot_position' (columns [0, 1]) is the same on every frame: it can tell no frames apart"
    ]


def test_good_features_give_no_warning(poses):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build_features(poses, SCHEMA)


def test_a_weight_multiplies_the_squared_distance(poses):
    rng = np.random.default_rng(1)
    built = build(poses)
    a, b = rng.integers(0, built.frame_count, (2, 50))
    columns = SCHEMA.columns["hips_velocity"]

    def cost(features):
        values = features.weighted_values()
        return ((values[a] - values[b]) ** 2).sum(axis=-1)

    block = ((built.values[a, columns] - built.values[b, columns]) ** 2).sum(axis=-1)
    heavier = built.with_weights({"hips_velocity": 4.0})
    np.testing.assert_allclose(cost(heavier), cost(built) + 3 * block, rtol=1e-4)


def test_the_two_knobs_weigh_their_groups(poses):
    built = build(poses).with_weights(responsiveness=2.0, quality=0.5)
    expected = [0.5] * 15 + [2.0] * 12
    assert built.column_weights().tolist() == expected
    both = built.with_weights({"trajectory_position": 3.0})
    assert both.column_weights()[15:].tolist() == [6.0] * 6 + [2.0] * 6


def test_weights_change_without_touching_values(poses):
    built = build(poses)
    changed = built.with_weights({"hips_velocity": 9.0}, responsiveness=3.0)
    assert changed.values is built.values
    assert changed.scale is built.scale
    assert built.weights.responsiveness == 1.0


def test_weights_of_the_schema_count_until_others_are_given(poses):
    schema = FeatureSchema((Feature("velocity", "hips", weight=2.0), Feature("position", "left_foot")))
    built = build(poses, schema)
    assert built.column_weights().tolist() == [2.0] * 3 + [1.0] * 3
    assert built.with_weights({"hips_velocity": 0.0}).column_weights().tolist() == [0.0] * 3 + [1.0] * 3


def test_weights_that_make_no_sense_are_refused(poses):
    built = build(poses)
    with pytest.raises(KinematchError, match="did you mean 'hips_velocity'"):
        built.with_weights({"hip_velocity": 1.0})
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(KinematchError, match="expected 0 to"):
            built.with_weights(quality=bad)
        with pytest.raises(KinematchError, match="expected 0 to"):
            Weights({"hips_velocity": bad})


def test_weighted_values_and_weighed_queries_agree(poses):
    built = build(poses).with_weights({"hips_velocity": 4.0}, quality=0.3)
    np.testing.assert_array_equal(built.weigh(built.values), built.weighted_values())
    assert built.weighted_values().flags.c_contiguous
    assert built.weighted_values().dtype == np.float32


def test_only_the_tail_of_each_clip_is_barred_as_a_target(poses):
    targets = find_targets(poses, tail=0.33)
    for start, stop in zip(poses.clip_starts, poses.clip_stops):
        assert targets[start : stop - 20].all()
        assert not targets[stop - 20 : stop].any()


def test_the_head_is_barred_where_the_past_is_looked_at(poses):
    past = FeatureSchema((Feature("trajectory_position", times=(-0.2, 0.5)),))
    built = build(poses, past)
    assert np.flatnonzero(~built.targets[:121]).tolist() == [*range(12), *range(101, 121)]
    far = FeatureSchema((Feature("trajectory_position", times=(-1.0,)),))
    assert np.flatnonzero(~build(poses, far).targets[:121]).tolist() == [*range(20), *range(101, 121)]


def test_loops_have_no_tail_and_marked_ranges_are_no_targets(database, walk):
    contacts = np.zeros((121, 2), bool)
    marked = ClipEntry(walk("m"), contacts, marks=(Mark(30, 40, no_entry=True, no_exit=True),))
    poses = database(ClipEntry(walk("loop"), contacts, loop=True), marked)
    targets = find_targets(poses, tail=0.33)
    assert targets[:120].all()
    assert np.flatnonzero(~targets[120:]).tolist() == [*range(30, 40), *range(101, 121)]


def test_a_clip_shorter_than_its_tail_is_told_and_a_database_of_such_refused(database, walk):
    found = []
    build_features(database(walk(turn=1.0), walk("short", seconds=0.2)), SCHEMA, warn=found.append)
    assert any("no frame may be matched in short" in message for message in found)
    with pytest.raises(KinematchError, match="no frame may be matched"):
        build(database(walk(seconds=0.2, turn=1.0)))


def test_features_are_finite_on_every_frame_even_of_single_frames(database, walk):
    built = build(database(walk(turn=1.0), walk("one").frames(0, 1), walk("two").frames(0, 2)))
    assert np.isfinite(built.values).all()


def test_a_schema_and_values_that_do_not_fit_are_refused(poses):
    built = build(poses)
    with pytest.raises(KinematchError, match="27 columns, the values 26"):
        replace(built, values=built.values[:, :26].copy())
