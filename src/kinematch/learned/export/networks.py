"""The three networks of a model as ONNX files: physical features in and out, normalisation and limits inside."""

from collections.abc import Mapping
from typing import Any

from kinematch.learned.export.fold import PhysicalModel
from kinematch.learned.export.graph import Graph, add_network
from kinematch.learned.model import PoseColumns


def make_graphs(physical: PhysicalModel, columns: PoseColumns, metadata: Mapping[str, Any]) -> dict[str, bytes]:
    """Files by name. The projector is left out where the model has none: its codebook is searched instead."""
    made = {
        "decompressor.onnx": _make_decompressor(physical, columns, metadata),
        "stepper.onnx": _make_stepper(physical, metadata),
    }
    if physical.projector is not None:
        made["projector.onnx"] = _make_projector(physical, metadata)
    return made


def _make_decompressor(physical: PhysicalModel, columns: PoseColumns, metadata: Mapping[str, Any]) -> bytes:
    """features, latents -> rotations (two axes a joint), places, root, contacts, contact_left."""
    graph, parts, _ = _begin("decompressor", physical)
    blocks = {name: own for name, own in vars(columns).items() if own.stop > own.start}
    values = add_network(graph, physical.decompressor, parts, list(blocks.values()))
    for (name, own), value in zip(blocks.items(), values):
        graph.give(name, value, own.stop - own.start)
    return graph.finish({"network": "decompressor", **metadata})


def _make_stepper(physical: PhysicalModel, metadata: Mapping[str, Any]) -> bytes:
    """features, latents -> those of the next frame, kept near the data."""
    graph, parts, inputs = _begin("stepper", physical)
    blocks = _find_blocks(physical)
    for (name, own), value in zip(blocks.items(), add_network(graph, physical.stepper, parts, list(blocks.values()))):
        after = graph.add("Add", inputs[name], value)
        for operator, limit in zip(("Max", "Min"), physical.limits[:, None, own]):
            after = graph.add(operator, after, limit)
        graph.give(f"next_{name}", after, own.stop - own.start)
    return graph.finish({"network": "stepper", **metadata})


def _make_projector(physical: PhysicalModel, metadata: Mapping[str, Any]) -> bytes:
    """query -> features and latents near it that the data have."""
    assert physical.projector is not None
    graph = Graph("projector")
    query = graph.take("query", len(physical.center))
    parts = {graph.add("Add", query, -physical.center[None]): len(physical.center)}
    blocks = _find_blocks(physical)
    for (name, own), value in zip(blocks.items(), add_network(graph, physical.projector, parts, list(blocks.values()))):
        graph.give(name, graph.add("Add", value, physical.projector_center[None, own]), own.stop - own.start)
    return graph.finish({"network": "projector", **metadata})


def _begin(name: str, physical: PhysicalModel) -> tuple[Graph, dict[str, int], dict[str, str]]:
    """A graph of features and latents: what its network takes, and its inputs as they come."""
    graph, blocks = Graph(name), _find_blocks(physical)
    inputs = {block: graph.take(block, own.stop - own.start) for block, own in blocks.items()}
    centered = graph.add("Add", inputs["features"], -physical.center[None])
    parts = {centered: len(physical.center), inputs["latents"]: physical.stepper.output_count - len(physical.center)}
    return graph, parts, inputs


def _find_blocks(physical: PhysicalModel) -> dict[str, slice]:
    width = len(physical.center)
    return {"features": slice(0, width), "latents": slice(width, physical.stepper.output_count)}
