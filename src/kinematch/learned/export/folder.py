"""The folder of an export: graphs, flat weights, test vectors and the reference run time, in place all at once."""

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from kinematch import __version__
from kinematch.learned.export.entries import select_entries
from kinematch.learned.export.flat import list_matrices, pack_matrices
from kinematch.learned.export.fold import fold_model
from kinematch.learned.export.graph import IR_VERSION, OPSET, check_onnx
from kinematch.learned.export.networks import make_graphs
from kinematch.learned.export.vectors import make_vectors
from kinematch.learned.model import Model
from kinematch.learned.source import RANGE_MARGIN
from kinematch.writing import check_folder, replacing_folder

FORMAT = "kinematch export"
PAGES = ("README.md", "lmm.py", "lmm.h", "check.cpp")
GRAPHS = ("decompressor.onnx", "stepper.onnx", "projector.onnx")
FILES = {*PAGES, *GRAPHS, "model.json", "model.bin", "vectors.bin"}


def export_onnx(model: Model, folder: str | Path) -> list[Path]:
    """Write all that another program needs to play a model; an earlier export of that name is replaced."""
    check_onnx()
    check_place(folder)
    contents = make_files(model)
    with replacing_folder(folder, FILES.__contains__) as beside:
        for name, content in contents.items():
            (beside / name).write_bytes(content)
    return [Path(folder) / name for name in contents]


def check_place(folder: str | Path) -> None:
    """Refuse a place that holds anything but an earlier export, before the work begins."""
    check_folder(folder, FILES.__contains__)


def make_files(model: Model) -> dict[str, bytes]:
    """The contents of the folder by name; the same model always gives the same bytes."""
    entries, physical = select_entries(model), fold_model(model, RANGE_MARGIN)
    matrices = list_matrices(model, physical, entries)
    flat = pack_matrices(matrices.values())
    about = describe_model(model, hashlib.sha256(flat).hexdigest())
    lowest, highest = model.limits
    room = RANGE_MARGIN * (highest - lowest)
    vectors = make_vectors(model, entries, np.stack([lowest - room, highest + room]))
    pages = files("kinematch.learned.export") / "reference"
    return {
        **make_graphs(physical, model.columns, about),
        "model.bin": flat,
        "model.json": json.dumps({**about, "matrices": list(matrices), "vectors": list(vectors)}, indent=1).encode(),
        "vectors.bin": pack_matrices(vectors.values()),
        **{name: (pages / name).read_bytes() for name in PAGES},
    }


def describe_model(model: Model, hash_: str) -> dict[str, Any]:
    """What a program must know of a model: each file of an export carries it."""
    skeleton = model.skeleton
    return {
        "format": FORMAT,
        "kinematch": __version__,
        "opset": OPSET,
        "ir_version": IR_VERSION,
        "hash": hash_,  # of model.bin: files of one export carry the same
        "frame_rate": model.frame_rate,
        "conventions": "right-handed, Y up, Z forward, X left; m, s, rad; quaternions w x y z, child to parent",
        "skeleton": {
            "names": list(skeleton.names),
            "parents": skeleton.parents.tolist(),
            "rest": np.round(model.rest.astype(np.float64), 6).tolist(),
            "moving": model.moving.tolist(),
            "contact_joints": model.contact_joints.tolist(),
        },
        "schema": [
            {
                "name": feature.name,
                "kind": feature.kind,
                "joint": feature.joint,
                "times": list(feature.times),
                "dimensions": feature.dimensions,
                "group": feature.group,
                "columns": [own.start, own.stop],
            }
            for feature, own in zip(model.schema.features, model.schema.columns.values())
        ],
        "latents": model.latent_count,
        "filter": model.filter,
        "scores": dict(model.scores),
        "trained": dict(model.about),
    }
