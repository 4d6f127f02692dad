"""ONNX graphs in the narrow dialect that engines share: Gemm, Add, Relu, Max and Min, on rows of fixed width."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from kinematch.errors import KinematchError
from kinematch.learned.network import Network

OPSET, IR_VERSION = 13, 7  # of 2020, so that older run times of engines take them


class Graph:
    """Nodes and constants of a graph while it is made; values go by name."""

    def __init__(self, name: str):
        check_onnx()
        import onnx

        self._onnx, self.name = onnx, name
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def take(self, name: str, width: int) -> str:
        """An input [1, width]."""
        self.inputs.append(self._describe(name, width))
        return name

    def give(self, name: str, value: str, width: int) -> None:
        """Make a value an output [1, width]; it takes the output's name."""
        self.outputs.append(self._describe(name, width))
        for node in self.nodes:
            for names in (node.input, node.output):
                names[:] = [name if one == value else one for one in names]

    def add(self, operator: str, *values: str | np.ndarray) -> str:
        """A node; arrays become constants."""
        name = f"{operator.lower()}_{len(self.nodes)}"
        names = [value if isinstance(value, str) else self._hold(value) for value in values]
        self.nodes.append(self._onnx.helper.make_node(operator, names, [name], name=name))
        return name

    def multiply(self, parts: Mapping[str, int], weight: np.ndarray, bias: np.ndarray) -> str:
        """Row blocks of some columns each, side by side, times a matrix; blocks without weights are left out."""
        total, row = "", 0
        for value, width in parts.items():
            own = weight[row : row + width]
            row += width
            if own.any() or (row == len(weight) and not total):
                product = self.add("Gemm", value, own, *([] if total else [bias]))
                total = self.add("Add", total, product) if total else product
        return total

    def finish(self, metadata: Mapping[str, Any]) -> bytes:
        """The checked file; metadata other than text becomes JSON."""
        helper = self._onnx.helper
        made = helper.make_model(
            helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.constants),
            producer_name="kinematch",
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in metadata.items()}
        helper.set_model_props(made, texts)
        self._onnx.checker.check_model(made, full_check=True)
        return made.SerializeToString(deterministic=True)

    def _describe(self, name: str, width: int) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, self._onnx.TensorProto.FLOAT, [1, width])

    def _hold(self, array: np.ndarray) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name))
        return name


def add_network(graph: Graph, network: Network, parts: Mapping[str, int], blocks: Sequence[slice]) -> list[str]:
    """The values of a network by blocks of outputs, for inputs in parts: no Concat, Split or Slice is needed."""
    hidden = dict(parts)
    for weight, bias in zip(network.weights[:-1], network.biases[:-1]):
        value = graph.multiply(hidden, weight, bias)
        hidden = {graph.add("Relu", value): weight.shape[1]}
    values = []
    for columns in blocks:
        value = graph.multiply(hidden, network.weights[-1][:, columns], network.biases[-1][columns])
        if network.skip is not None:
            path = np.zeros((network.input_count, network.output_count), np.float32)
            path[network.input_count - len(network.skip) :] = network.skip
            own = path[:, columns]
            value = graph.add("Add", value, graph.multiply(parts, own, np.zeros(own.shape[1], np.float32)))
        values.append(value)
    return values


def check_onnx() -> None:
    """Refuse at once where onnx is missing."""
    if find_spec("onnx") is None:
        raise KinematchError("export to ONNX needs an extra: pip install 'kinematch[onnx]'")
