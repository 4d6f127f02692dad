"""Scenes: heights of what stands in them, their files, and what is wrong with them."""

import json

import numpy as np
import pytest

import kinematch as km
from kinematch.scene.objects import MOST_THINGS, Scene, Thing
from kinematch.scene.playground import make_playground
from kinematch.scene.scene_file import read_scene, write_scene
from kinematch.scene.terrain import HeightFunction


def test_heights_are_those_of_the_highest_thing_and_of_the_bottom_of_gaps():
    scene = Scene(
        (Thing("box", (0, 0, 2), (1, 0.4, 1)), Thing("gap", (0, -1, 5), (2, 1, 1)), Thing("bar", (0, 1, 8), (2, 1, 1)))
    )
    points = np.array([[0.0, 2.0], [0.49, 2.49], [0.51, 2.0], [0.0, 5.0], [0.0, 8.0], [30.0, 0.0]])
    np.testing.assert_allclose(scene.heights(points), [0.4, 0.4, 0.0, -1.0, 0.0, 0.0])
    assert (scene.normals(points) == [0.0, 1.0, 0.0]).all()


def test_a_turned_box_is_where_its_corners_are():
    scene = Scene((Thing("box", (0, 0, 0), (4.0, 0.3, 0.2), np.pi / 2),))
    assert scene.heights(np.array([[0.0, 1.9], [1.9, 0.0]])).tolist() == [0.3, 0.0]


def test_things_stand_on_any_ground():
    ground = HeightFunction(lambda x, z: 0.1 * x)
    scene = Scene((Thing("box", (5, 0.5, 0), (1, 0.5, 1)),), ground)
    np.testing.assert_allclose(scene.heights(np.array([[5.0, 0.0], [2.0, 0.0]])), [1.0, 0.2])


def test_a_scene_comes_back_from_its_file(tmp_path):
    scene = make_playground()
    write_scene(tmp_path / "scene.json", scene)
    back = read_scene(tmp_path / "scene.json")
    assert [one.label for one in back.things] == [one.label for one in scene.things]
    points = np.random.default_rng(1).uniform(-9, 9, (500, 2))
    np.testing.assert_array_equal(back.heights(points), scene.heights(points))


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        ({"kind": "boxx", "place": [0, 0, 0], "size": [1, 1, 1]}, "did you mean 'box'"),
        ({"kind": "box", "place": [0, 0], "size": [1, 1, 1]}, "place"),
        ({"kind": "box", "place": [0, 0, 0], "size": [1, -1, 1]}, "size"),
        ({"kind": "box", "place": [0, 0, 1e300], "size": [1, 1, 1]}, "place"),
        ({"kind": "box", "place": [0, 0, 0]}, "expected kind, place and size"),
        ({"kind": "box", "place": [0, 0, 0], "size": [1, 1, 1], "yaw": "x"}, "yaw"),
    ],
)
def test_a_broken_thing_of_a_file_is_named(tmp_path, thing, message):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"things": [{"kind": "box", "place": [0, 0, 0], "size": [1, 1, 1]}, thing]}))
    with pytest.raises(km.KinematchError, match=message) as error:
        read_scene(path)
    assert "things[1]" in str(error.value)


def test_a_scene_of_a_million_boxes_is_refused(tmp_path):
    one = Thing("box", (0, 0, 0), (1, 1, 1))
    with pytest.raises(km.KinematchError, match=f"at most {MOST_THINGS}"):
        Scene((one,) * 1_000_000)
    (tmp_path / "scene.json").write_text('{"things": [' + ",".join(["{}"] * 5000) + "]}")
    with pytest.raises(km.KinematchError, match=f"at most {MOST_THINGS}"):
        read_scene(tmp_path / "scene.json")
