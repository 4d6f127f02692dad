"""Models as files: half-precision weights and the codebook, with checksums; nothing in them is code."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.container import Words, read_arrays, write_arrays
from kinematch.database.file_checks import check_arrays
from kinematch.database.file_origin import set_origin
from kinematch.database.file_table import MODEL, MODEL_VALUES, list_layers, read_values
from kinematch.errors import FileError, KinematchError
from kinematch.learned.codebook import PER_FRAME, Codebook
from kinematch.learned.model import Model, lay_out_pose
from kinematch.learned.network import read_network, write_network

FORMAT, VERSION = "kinematch model", 1
SUFFIX = ".kinematch-model"
WORDS = Words("model", "`kinematch train learned` writes those", "train it again")
# sizes of networks
NETWORK_SIZES = {"decompressor": ("D+Z", "pose"), "stepper": ("D+Z", "D+Z"), "projector": ("D", "D+Z")}
MAX_HALF = float(np.finfo(np.float16).max)
_ARRAYS = ("contact_joints", "feature_offset", "feature_scale", "feature_weights", "rest", "moving", "limits")
_BOOK = (*PER_FRAME, "lowest", "step", "clip_starts", "clip_stops")
_SKELETON = ("parents", "offsets", "rotations", "end_parents", "end_offsets", "file_order")


def save_model(path: str | Path, model: Model) -> None:
    """Write a model; a file of that name is replaced when the new one is complete."""
    arrays = {name: getattr(model, name) for name in _ARRAYS}
    arrays |= {f"codebook.{name}": getattr(model.codebook, name) for name in _BOOK}
    arrays["codebook.tags"] = np.packbits(model.codebook.tags, axis=1)
    arrays["codebook.cost_factor"] = np.minimum(model.codebook.cost_factor, MAX_HALF).astype(np.float16)
    arrays |= {f"skeleton.{name}": getattr(model.skeleton, name) for name in _SKELETON}
    if model.skeleton.tpose is not None:
        arrays["skeleton.tpose"] = model.skeleton.tpose
    networks = {}
    for name in NETWORK_SIZES:
        network = getattr(model, name)
        if network is not None:
            own, networks[name] = write_network(name, network)
            arrays |= own
    about = {
        "skeleton": {"names": model.skeleton.names, "roles": dict(model.skeleton.roles)},
        "frame_rate": model.frame_rate,
        "schema": [asdict(feature) for feature in model.schema.features],
        "tags": model.tag_names,
        "filter": model.filter,
        "networks": networks,
        "scores": dict(model.scores),
        "trained": dict(model.about),
    }
    write_arrays(Path(path), arrays, format=FORMAT, version=VERSION, about=about)


def load_model(path: str | Path) -> Model:
    """Open a file that `kinematch train learned` wrote. Weights are rounded to half precision in it."""
    arrays, about = read_arrays(Path(path), format=FORMAT, version=VERSION, verify=True, words=WORDS)
    try:
        return set_origin(_model(arrays, about), path, about["checksum"])
    except KinematchError as error:
        raise FileError(path, f"is damaged: {error}; {WORDS.remedy}", kind="damaged") from error


def is_model(path: str | Path) -> bool:
    """Whether a file is named as a model."""
    return Path(path).suffix.lower() == SUFFIX


def round_model(model: Model) -> Model:
    """The model with the precision of its file, so that the scored model is the one that plays."""
    rounded: dict[str, Any] = {}
    for name in NETWORK_SIZES:
        network = getattr(model, name)
        if network is not None:
            own, more = write_network(name, network)
            rounded[name] = read_network(name, own, more)
    return replace(model, **rounded)


def _model(arrays: dict[str, np.ndarray], about: dict[str, Any]) -> Model:
    skeleton, schema, sizes = read_values(about, MODEL_VALUES, arrays)
    tags, networks = tuple(about["tags"]), about["networks"]
    sizes["tag_bytes"] = -(-len(tags) // 8)
    check_arrays(arrays, MODEL, sizes)
    sizes["pose"] = lay_out_pose(sizes["J"], sizes["M"], sizes["K"]).count
    for name, (inputs, outputs) in NETWORK_SIZES.items():
        if name in networks:
            check_arrays(arrays, list_layers(name, networks[name]["layers"], inputs, outputs), sizes)
    book = {name: np.array(arrays[f"codebook.{name}"]) for name in _BOOK}
    book["tags"] = np.unpackbits(book["tags"], axis=1, count=len(tags)).astype(bool)
    book["cost_factor"] = book["cost_factor"].astype(np.float32)
    own: dict[str, Any] = {name: np.array(arrays[name]) for name in _ARRAYS}
    own |= {name: read_network(name, arrays, networks[name]) if name in networks else None for name in NETWORK_SIZES}
    return Model(
        skeleton=skeleton,
        frame_rate=float(about["frame_rate"]),
        schema=schema,
        tag_names=tags,
        filter=about["filter"],
        codebook=Codebook(**book),
        scores=about["scores"],
        about=about["trained"],
        **own,
    )
