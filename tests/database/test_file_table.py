"""Files whose checksums fit and whose contents do not: one error that names the field, what was found and expected."""

import math
import re

import numpy as np
import pytest

from kinematch.bench.fuzz_examples import make_model, write_databases
from kinematch.bench.hostile_files import join, split
from kinematch.database import storage
from kinematch.database.file_checks import (
    ArrayRule,
    FieldRules,
    ListOf,
    Number,
    TableOf,
    Text,
    check_arrays,
    check_value,
)
from kinematch.errors import FileError, KinematchError
from kinematch.learned.model_file import load_model, save_model

FORMS = ("plain.kinematch", "packed.kinematch", "sent.kinematch", "random.kinematch-model", "projected.kinematch-model")
DATABASES, MODELS = FORMS[:3], FORMS[3:]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("forms")
    write_databases(path)
    return path


def load(path):
    return (load_model if path.suffix.endswith("model") else storage.load)(path)


def spoil(folder, tmp_path, form, change):
    """A file of a form, changed, with checksums that fit."""
    arrays, about, head = split((folder / form).read_bytes())
    change(arrays, about)
    path = tmp_path / form
    path.write_bytes(join(arrays, about, head))
    return path


def edit(name, change):
    """Change an array in place, or replace it by what is returned."""

    def do(arrays, about):
        array = arrays[name].open()
        made = change(array)
        arrays[name].set(np.ascontiguousarray(array if made is None else made))

    return do


def put(index, value):
    def do(array):
        array[index] = value

    return do


def say(*place, value):
    def do(arrays, about):
        for key in place[:-1]:
            about = about[key]
        about[place[-1]] = value

    return do


@pytest.mark.parametrize("form", FORMS)
def test_files_that_the_program_writes_fit_the_table(folder, form):
    load(folder / form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (say("frame_rate", value=10**400), "frame_rate is 1000.*, expected a number from 0.0001 to 10000"),
        (say("frame_rate", value=True), "frame_rate is True, expected a number"),
        (say("schema", 0, "kind", value=["position"]), r"schema[0].kind is ['position'], expected text"),
        (say("schema", 2, "width", value=2**46), r"schema[2].width is 70368744177664, expected a whole number from 0"),
        (say("schema", 2, "width", value=4), "width 4 and group 'pose', expected 3 and 'pose'"),
        (say("schema", 5, "times", value=[1.0]), "width 6 and group 'trajectory', expected 2 and 'trajectory'"),
        (say("schema", 0, "joint", value="tail"), "no joint or role 'tail'"),
        (say("schema", value=[]), r"schema is [], expected a list of at least 1"),
        (say("schema", 1, value={"kind": "position", "colour": 3}), "expected no other fields than kind, joint"),
        (say("tags", value=["walk", "walk"]), r"tags is ['walk', 'walk'], expected different ones"),
        (say("skeleton", "roles", "hips", value=0.5), "roles.'hips' is 0.5, expected a whole number"),
        (say("skeleton", "roles", "left_upper_leg", value=3), "left upper_leg, lower_leg, foot are joints"),
        (say("filter", value="!" * 5000), r"filter '!!!!"),
        (edit("skeleton.parents", lambda a: a.astype(np.float64)), "skeleton.parents is float64 (23,), expected int32"),
        (edit("skeleton.parents", put(3, 9)), "parents first"),
        (edit("skeleton.offsets", put((4, 1), np.nan)), "skeleton.offsets[4, 1] is nan, expected -1e+09 to 1e+09"),
        (edit("skeleton.rotations", put(2, 0)), "skeleton.rotations[2, 0] is [0.0, 0.0, 0.0, 0.0], expected a unit"),
        (lambda arrays, about: arrays.pop("skeleton.file_order"), "skeleton.file_order is missing, expected int32 (J)"),
    ],
)
def test_what_all_forms_share_is_checked_in_all_of_them(folder, tmp_path, form, change, message):
    path = spoil(folder, tmp_path, form, change)
    with pytest.raises(FileError, match=re.escape(message).replace(r"\.\*", ".*")) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}: is damaged: ")
    assert len(str(raised.value)) < 1500
    assert raised.value.kind == "damaged"


@pytest.mark.parametrize(
    ("form", "change", "message"),
    [
        ("plain.kinematch", edit("poses.rotations", put((5, 2), 0.1)), "poses.rotations[5, 2, 0] is [0.1"),
        ("plain.kinematch", edit("poses.cost_factor", put(9, np.inf)), "poses.cost_factor[9] is inf, expected 0 to"),
        ("plain.kinematch", edit("features.targets", lambda a: a.astype(np.uint8)), "features.targets is uint8"),
        ("plain.kinematch", edit("features.values", lambda a: a.astype(np.float64)), "features.values is float64"),
        ("plain.kinematch", edit("features.values", lambda a: a[:-1]), "features.values is float32"),
        ("plain.kinematch", edit("poses.tags", lambda a: a.reshape(-1)), "poses.tags is bool"),
        ("packed.kinematch", edit("packed.root_steps", put((0, 1), -np.inf)), "packed.root_steps[0, 1] is -inf"),
        ("packed.kinematch", edit("marks.factor_starts", put(1, 10**6)), "marks.factor_starts[1] is 1000000, expected"),
        ("packed.kinematch", edit("packed.originals", put(0, 9)), "packed.originals[0] is 9, expected -1 to 1"),
        ("packed.kinematch", say("packed", value=[]), "packed is [], expected a table"),
        ("packed.kinematch", say("packed", "pace_step", value=math.nan), "packed.pace_step is nan, expected a number"),
        ("sent.kinematch", edit("transport.moving", put(0, 0)), "transport.moving[0] is 0, expected 1 to 22"),
        ("sent.kinematch", edit("transport.originals", put(1, -1)), "1 clips are stored, expected 2"),
        ("sent.kinematch", say("frame_rate", value=9999), "features look 19998 frames past its clips, which have 182"),
        ("sent.kinematch", edit("transport.error", put(0, -1.0)), "transport.error[0] is -1.0, expected 1e-09 to 1000"),
        *(
            (form, change, message)
            for form in DATABASES
            for change, message in [
                (edit("poses.contact_joints", put(0, 99)), "poses.contact_joints[0] is 99, expected 0 to 22"),
                (edit("poses.clip_loops", lambda a: a.astype(np.int32)), "poses.clip_loops is int32"),
                (edit("poses.clip_stops", put(0, 7)), "clips must cover"),
                (edit("features.scale", put(3, 0)), "features.scale[3] is 0.0, expected 1e-15"),
                (say("weights", "features", value={"nose_position": 1}), "no feature 'nose_position'"),
                (say("normalisation", value=["block"]), "normalisation is ['block'], expected one of block, column"),
                (say("more", "warnings", value=3), "more.warnings is 3, expected a list"),
            ]
        ),
        *(
            (form, change, message)
            for form in MODELS
            for change, message in [
                (edit("codebook.frames", put(slice(None), 4)), "codebook: frames must ascend"),
                (edit("codebook.clip_stops", put(-1, 10**6)), "clips must cover"),
                (edit("codebook.step", put(2, np.nan)), "codebook.step[2] is nan, expected 0 to"),
                (edit("codebook.latents", lambda a: a[:, :0]), "codebook.lowest is float32 (32,), expected"),
                (edit("stepper.weight.0", lambda a: a.T), "stepper.weight.0 is float16"),
                (edit("decompressor.bias.1", put(0, np.inf)), "decompressor.bias.1[0] is inf"),
                (edit("moving", put(0, 0)), "moving[0] is 0, expected 1 to 22"),
                (say("networks", "stepper", "layers", value=10**9), "networks.stepper.layers is 1000000000, expected"),
                (lambda arrays, about: about["networks"].pop("stepper"), "networks.stepper is missing"),
                (say("filter", value="!walk"), "admits none of the codebook"),
            ]
        ),
    ],
)  # fmt: skip
def test_what_one_form_has_of_its_own_is_checked(folder, tmp_path, form, change, message):
    with pytest.raises(FileError, match=re.escape(message)):
        load(spoil(folder, tmp_path, form, change))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("dtype", "shape"), [("BF16", None), (["F32"], None), ("F32", [0, 2**62, 2**62]), ("U8", [1] * 99)]
)
def test_types_and_shapes_that_are_none_are_refused(folder, tmp_path, form, dtype, shape):
    def change(arrays, about):
        one = arrays["skeleton.offsets"]
        one.dtype, one.shape = dtype, one.shape if shape is None else shape
        one.data = one.data if shape is None else bytes(math.prod(shape))

    with pytest.raises(FileError, match="damaged"):
        load(spoil(folder, tmp_path, form, change))


def test_arrays_that_are_not_aligned_are_refused(folder, tmp_path):
    path = tmp_path / "crooked.kinematch"
    path.write_bytes(join(*split((folder / "plain.kinematch").read_bytes()), aligned=False))
    with pytest.raises(FileError, match="damaged"):
        storage.load(path)


def test_without_verifying_frames_are_not_read_and_indices_are(folder, tmp_path):
    path = spoil(folder, tmp_path, "plain.kinematch", edit("poses.velocities", put((5, 2), np.nan)))
    assert np.isnan(storage.load(path, verify=False, mapped=True).poses.velocities[5, 2]).all()
    path = spoil(folder, tmp_path, "plain.kinematch", edit("poses.contact_joints", put(0, -1)))
    with pytest.raises(FileError, match="contact_joints"):
        storage.load(path, verify=False, mapped=True)


def test_a_cost_factor_too_large_for_a_half_is_stored_as_the_largest(folder, tmp_path):
    database = storage.load(folder / "plain.kinematch")
    model = make_model(database, projector=False)
    model.codebook.cost_factor.flags.writeable = True
    model.codebook.cost_factor[0] = 1e6
    save_model(tmp_path / "a.kinematch-model", model)
    assert load_model(tmp_path / "a.kinematch-model").codebook.cost_factor[0] == np.finfo(np.float16).max


def test_sizes_are_taken_from_the_first_array_that_has_them():
    table = {
        "a": ArrayRule("i4", "N", 0, below="N"),
        "b": ArrayRule("f4", "N-1 N+M"),
        "c": ArrayRule("u1", "M", optional=True),
    }
    arrays = {"a": np.arange(4, dtype=np.int32), "b": np.zeros((3, 6), np.float32)}
    sizes = {"M": 2}
    check_arrays(arrays, table, sizes)
    assert sizes == {"M": 2, "N": 4}
    with pytest.raises(KinematchError, match=r"c is uint8 \(3,\), expected uint8 \(2,\)"):
        check_arrays(arrays | {"c": np.zeros(3, np.uint8)}, table, {"M": 2})
    with pytest.raises(KinematchError, match=r"a is int32 \(2, 2\), expected int32 \(N\)"):
        check_arrays(arrays | {"a": arrays["a"].reshape(2, 2)}, table, {"M": 2})


@pytest.mark.parametrize(
    "value", [1, 8.1, "3", None, [], pytest.param(10**5000, id="long"), math.nan, math.inf, -math.inf, True]
)
def test_numbers_are_within_their_range_and_nothing_else_is_one(value):
    check_value(2, Number(2, 8), "n")
    check_value(7.5, Number(2, 8), "n")
    with pytest.raises(KinematchError, match=r"^n is .{1,70}, expected a number from 2 to 8$"):
        check_value(value, Number(2, 8), "n")


def test_values_are_named_by_where_they_stand():
    table = FieldRules({"a": ListOf(TableOf(Text(("x", "y"))))}, {"b": Number(0, 1)})
    check_value({"a": [{"any": "x"}], "b": 0}, table, "")
    for value, message in [
        ({"a": [{"any": "z"}]}, r"a\[0\]\.'any' is 'z', expected one of x, y"),
        ({"a": {}}, "a is {}, expected a list"),
        ({"a": [3]}, r"a\[0\] is 3, expected a table"),
        ({"b": 0.5}, "a is missing"),
        ({"a": [], "b": "0"}, "b is '0', expected a number from 0 to 1"),
    ]:
        with pytest.raises(KinematchError, match=message):
            check_value(value, table, "")
