"""Exports: other run times give what our definitions give, folders are whole, and bad places are refused."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import FileError, KinematchError
from kinematch.learned.export.folder import FILES, export_onnx
from kinematch.learned.export.graph import IR_VERSION, OPSET
from kinematch.learned.network import apply_network
from kinematch.learned.source import RANGE_MARGIN

PLAIN = {"Gemm", "Add", "Relu", "Max", "Min"}


@pytest.fixture(scope="session", params=[False, True], ids=["codebook", "projector"])
def exported(request, random_model, tmp_path_factory, need_extra):
    """A model and its folder."""
    need_extra("onnx", "onnx")
    model = random_model(projector=request.param)
    folder = tmp_path_factory.mktemp("export") / "model"
    export_onnx(model, folder)
    return model, folder


def run_graph(path, **inputs):
    """All outputs of a graph for rows of inputs, one row at a time as the graph takes them, by name."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path.read_bytes())
    names = [output.name for output in session.get_outputs()]
    count = len(next(iter(inputs.values())))
    rows = [session.run(names, {k: v[n : n + 1].astype(np.float32) for k, v in inputs.items()}) for n in range(count)]
    return {name: np.concatenate([row[k] for row in rows]) for k, name in enumerate(names)}


def test_graphs_give_what_our_networks_give(exported, need_extra):
    need_extra("onnxruntime", "onnx")
    model, folder = exported
    rng, width = np.random.default_rng(3), model.schema.width
    real = model.codebook.restore(rng.integers(model.codebook.entry_count, size=20))
    frames = np.concatenate([real, rng.normal(size=real.shape)]).astype(np.float32)

    def restore(values):
        return values * model.feature_scale + model.feature_offset

    inputs = {"features": restore(frames[:, :width]), "latents": frames[:, width:]}
    found, columns = run_graph(folder / "decompressor.onnx", **inputs), model.columns
    expected = apply_network(model.decompressor, frames)
    assert set(found) == {"rotations", "places", "root", "contacts", "contact_left"}
    for name, values in found.items():
        np.testing.assert_allclose(values, expected[:, getattr(columns, name)], atol=1e-5)

    room = RANGE_MARGIN * (model.limits[1] - model.limits[0])
    after = frames + apply_network(model.stepper, frames)
    expected = np.clip(after, model.limits[0] - room, model.limits[1] + room)
    assert (expected != after).any()  # random frames leave the data, so limits are tried too
    found = run_graph(folder / "stepper.onnx", **inputs)
    np.testing.assert_allclose(found["next_features"], restore(expected[:, :width]), atol=1e-5)
    np.testing.assert_allclose(found["next_latents"], expected[:, width:], atol=1e-5)

    assert (folder / "projector.onnx").exists() == (model.projector is not None)
    if model.projector is not None:
        found = run_graph(folder / "projector.onnx", query=inputs["features"])
        expected = apply_network(model.projector, frames[:, :width])
        np.testing.assert_allclose(found["features"], restore(expected[:, :width]), atol=1e-5)
        np.testing.assert_allclose(found["latents"], expected[:, width:], atol=1e-5)


def test_graphs_keep_to_what_engines_take(exported):
    import onnx

    model, folder = exported
    hashes = {json.loads((folder / "model.json").read_text())["hash"]}
    for path in folder.glob("*.onnx"):
        made = onnx.load(path)
        assert {node.op_type for node in made.graph.node} <= PLAIN
        assert made.ir_version == IR_VERSION
        assert [entry.version for entry in made.opset_import] == [OPSET]
        for value in [*made.graph.input, *made.graph.output]:
            first, second = value.type.tensor_type.shape.dim
            assert first.dim_value == 1
            assert second.dim_value > 0
        about = {prop.key: prop.value for prop in made.metadata_props}
        assert json.loads(about["skeleton"])["names"] == list(model.skeleton.names)
        assert [one["name"] for one in json.loads(about["schema"])] == [one.name for one in model.schema.features]
        assert json.loads(about["frame_rate"]) == model.frame_rate
        hashes.add(about["hash"])
    assert len(hashes) == 1


def test_a_linear_path_may_begin_among_the_features(random_model, tmp_path, need_extra):
    need_extra("onnx", "onnx")
    need_extra("onnxruntime", "onnx")
    model = random_model(projector=True)
    rng = np.random.default_rng(5)

    def make_path(network, rows):
        return replace(network, skip=(0.003 * rng.normal(size=(rows, network.output_count))).astype(np.float32))

    both = model.stepper.input_count
    model = replace(
        model,
        decompressor=make_path(model.decompressor, model.latent_count + 3),
        stepper=make_path(model.stepper, both),
    )
    export_onnx(model, tmp_path / "model")
    done = subprocess.run([sys.executable, "lmm.py"], cwd=tmp_path / "model", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_of_python_meets_the_vectors(exported, need_extra):
    need_extra("onnxruntime", "onnx")
    _, folder = exported
    done = subprocess.run([sys.executable, "lmm.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_transition_changes_neither_the_shown_pose_nor_its_velocity(exported, need_extra):
    need_extra("onnxruntime", "onnx")
    from kinematch.learned.export.reference.lmm import Character, multiply, rotate

    _, folder = exported
    character = Character(folder)
    character.offset_v += 0.3  # as if an earlier transition were still under way
    character.offset_a += 0.5
    character.update()

    def show():
        now, after = character.now, character.next
        return np.concatenate([
            multiply(character.offset_r, now.turns).ravel(),
            (character.offset_a + rotate(character.offset_r, character.spin(now, after))).ravel(),
            now.values + character.offset_x,
            (after.values - now.values) / character.dt + character.offset_v,
        ])  # fmt: skip

    before = show()
    to = character.decode(character.book[-1])
    after = character.decode(character.step_frame(to.xz))
    character.transition(to, after)
    character.now, character.next = to, after
    np.testing.assert_allclose(show(), before, atol=1e-9)


def test_the_page_of_cpp_meets_the_vectors_and_notices_a_change(exported, tmp_path):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    _, folder = exported
    program = tmp_path / "check"
    subprocess.run([compiler, "-O1", "-std=c++17", "-Wall", "-Werror", folder / "check.cpp", "-o", program], check=True)
    done = subprocess.run([program, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    content = bytearray((folder / "model.bin").read_bytes())
    content[-16:-12] = np.float32(7).tobytes()  # the last bias, before an empty linear path
    (tmp_path / "model.bin").write_bytes(content)
    shutil.copy(folder / "vectors.bin", tmp_path)
    assert subprocess.run([program, tmp_path], capture_output=True).returncode == 1


def test_vectors_make_jumps_and_go_on_without(exported):
    _, folder = exported
    names = json.loads((folder / "model.json").read_text())["vectors"]
    jumps = read_matrices(folder / "vectors.bin")[names.index("jumps")]
    assert 1 < jumps.sum() < 0.5 * len(jumps)


def read_matrices(path):
    """The reader of the exported page itself."""
    from kinematch.learned.export.reference.lmm import read_matrices

    return read_matrices(path)


def test_an_earlier_export_is_replaced_and_gives_the_same_bytes(random_model, tmp_path, need_extra):
    need_extra("onnx", "onnx")
    model, folder = random_model(), tmp_path / "model"
    export_onnx(random_model(projector=True), folder)
    export_onnx(model, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(before) == FILES - {"projector.onnx"}
    export_onnx(model, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_folders_of_others_are_left_alone(random_model, tmp_path, need_extra):
    need_extra("onnx", "onnx")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "final.docx").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for place, words in (("thesis", "final.docx"), ("file", "expected a folder"), ("nowhere/x", "no folder")):
        with pytest.raises(FileError, match=words):
            export_onnx(random_model(), tmp_path / place)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "final.docx", "thesis"]


def test_a_filter_that_admits_nothing_is_told(random_model, tmp_path, need_extra):
    need_extra("onnx", "onnx")
    model = random_model()
    name = model.tag_names[0]
    with pytest.raises(KinematchError, match="admits none"):
        export_onnx(replace(model, filter=f"{name} & !{name}"), tmp_path / "model")
