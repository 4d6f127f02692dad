"""The node tree of a glTF document and the choice of the nodes that are joints of its skeleton."""

from dataclasses import dataclass

import numpy as np

from kinematch.files.gltf_container import Document
from kinematch.files.gltf_schema import Node
from kinematch.files.joint_names import unique_names
from kinematch.files.vrm import Vrm
from kinematch.math import quaternion, rotation

MOVING_PATHS = ("translation", "rotation", "scale")
MAX_JOINTS = 5000  # characters have tens or hundreds; what comes after reading is not made for scenes
END_SITE_MARK = "end_site"  # in the extras of nodes that our writer made from end sites


@dataclass(frozen=True, eq=False)
class NodeTree:
    parents: list[int]  # -1 for roots
    order: list[int]  # depth first, so parents come first
    translations: np.ndarray  # (N, 3) file units
    rotations: np.ndarray  # (N, 4)
    scales: np.ndarray  # (N, 3)
    sheared: tuple[int, ...]  # nodes with a matrix that cannot be split into translation, rotation and scale


@dataclass(frozen=True, eq=False)
class Joints:
    nodes: list[int]  # the node of each joint, parents first; -1 for a first joint that stands in no file
    parents: list[int]
    names: tuple[str, ...]
    file_order: list[int]
    above: list[int]  # nodes over the first joint, outermost first; they stand still, and go into that joint
    end_nodes: list[int]
    end_parents: list[int]
    left_out: int  # animated nodes that have nothing to do with the skeleton


def read_node_tree(document: Document) -> NodeTree:
    """Parents and rest transforms of all nodes; a node with two parents or in a circle is refused."""
    nodes = document.gltf.nodes
    parents = [-1] * len(nodes)
    for k, node in enumerate(nodes):
        for child in node.children:
            document.check_index(child, len(nodes), f"child of node {k}: node")
            if parents[child] != -1:
                raise document.error(f"node {child} has two parents, {parents[child]} and {k}")
            parents[child] = k
    order: list[int] = []
    waiting = [k for k in range(len(nodes) - 1, -1, -1) if parents[k] == -1]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(reversed(nodes[order[-1]].children))
    if len(order) < len(nodes):
        lost = set(range(len(nodes))).difference(order)
        raise document.error(f"nodes are children of each other in a circle: {sorted(lost)[:8]}")
    translations = np.array([node.translation for node in nodes], np.float64).reshape(-1, 3)
    rotations = np.array([node.rotation for node in nodes], np.float64).reshape(-1, 4)[:, [3, 0, 1, 2]]
    scales = np.array([node.scale for node in nodes], np.float64).reshape(-1, 3)
    sheared = []
    for k, node in enumerate(nodes):
        if node.matrix is not None:
            translations[k], rotations[k], scales[k], shear = _decompose(node.matrix)
            sheared += [k] if shear else []
    if not (np.abs(translations) < 1e9).all() or not (np.abs(scales) < 1e9).all():  # 1e9 squared still fits float32
        raise document.error("a node has a translation or scale beyond a thousand million")
    return NodeTree(parents, order, translations, quaternion.normalize(rotations), scales, tuple(sheared))


def _decompose(matrix: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    m = np.array(matrix, np.float64).reshape(4, 4).T
    scale = np.linalg.norm(m[:3, :3], axis=0)
    if np.linalg.det(m[:3, :3]) < 0:
        scale = -scale  # a mirrored space, as a reflection through the point, which commutes with rotations
    turn = m[:3, :3] / np.where(scale == 0, 1, scale)
    if (scale == 0).any():
        turn = np.eye(3)
    sheared = not np.allclose(turn.T @ turn, np.eye(3), atol=1e-3)  # writers round to four digits
    return m[:3, 3], rotation.from_matrix(turn), scale, sheared


def choose_joints(document: Document, tree: NodeTree, vrm: Vrm | None) -> Joints:
    """Skin joints, humanoid nodes and animated nodes in line with them, and what lies between these."""
    nodes = document.gltf.nodes
    essential = set(vrm.nodes.values()) if vrm else set()
    for k, skin in enumerate(document.gltf.skins):
        essential.update(document.check_index(node, len(nodes), f"joint of skin {k}: node") for node in skin.joints)
    animated = _animated_nodes(document) - (vrm.controls if vrm else frozenset())
    wanted = _in_line(tree, essential, animated) if essential else animated
    left_out = len(animated - wanted)
    if not wanted:
        wanted = {k for k, node in enumerate(nodes) if node.mesh is None and node.camera is None} or set(
            range(len(nodes))
        )
    if not wanted:
        raise document.error("it has no nodes, so no skeleton")

    below = [0] * len(nodes)  # how many wanted nodes are at or under each node
    for k in reversed(tree.order):
        below[k] += k in wanted
        if tree.parents[k] >= 0:
            below[tree.parents[k]] += below[k]
    holders = [k for k in tree.order if below[k] == len(wanted)]  # a chain from a scene root down to the first joint
    above, first = (holders[:-1], [holders[-1]]) if holders else ([], [])
    kept = {k for k in tree.order if below[k]}.difference(above)
    if len(kept) > MAX_JOINTS:
        raise document.error(f"it has {len(kept)} joints; no character has more than {MAX_JOINTS}")
    order = _joint_order(document, tree, kept)
    if not first:
        order = [-1, *order]
    joint_of = {node: joint for joint, node in enumerate(order)}
    parents = [-1 if joint == 0 else joint_of.get(tree.parents[node], 0) for joint, node in enumerate(order)]
    moving = essential | animated
    ends = [
        k for k in tree.order if k not in kept and tree.parents[k] in kept and _is_end_site(nodes[k], tree, k, moving)
    ]
    return Joints(
        nodes=order,
        parents=parents,
        names=unique_names(["Root" if k < 0 else nodes[k].name or f"node_{k}" for k in order]),
        file_order=[joint_of[k] for k in sorted(order)],
        above=above,
        end_nodes=sorted(ends),
        end_parents=[joint_of[tree.parents[k]] for k in sorted(ends)],
        left_out=left_out,
    )


def _animated_nodes(document: Document) -> set[int]:
    count = len(document.gltf.nodes)
    return {
        document.check_index(channel.target.node, count, f"target of animation {k}: node")
        for k, animation in enumerate(document.gltf.animations)
        for channel in animation.channels
        if channel.target.node is not None and channel.target.path in MOVING_PATHS
    }


def _in_line(tree: NodeTree, essential: set[int], animated: set[int]) -> set[int]:
    """The essential nodes, and the animated ones over or under them: a camera beside the character is not a joint."""
    under, over = set(essential), set(essential)
    for k in tree.order:
        if tree.parents[k] in under:
            under.add(k)
    for k in reversed(tree.order):
        if k in over and tree.parents[k] >= 0:
            over.add(tree.parents[k])
    return essential | (animated & (under | over))


def _joint_order(document: Document, tree: NodeTree, kept: set[int]) -> list[int]:
    """The order of a skin that has them all, else that of the file, else depth first; parents must come first."""
    skins = [
        skin.joints for skin in document.gltf.skins if len(skin.joints) == len(kept) == len(set(skin.joints) & kept)
    ]
    for order in (*skins[:1], sorted(kept)):
        place = {node: k for k, node in enumerate(order)}
        if all(place.get(tree.parents[node], -1) < place[node] for node in order):
            return list(order)
    return [k for k in tree.order if k in kept]


def _is_end_site(node: Node, tree: NodeTree, index: int, moving: set[int]) -> bool:
    """A bare leaf: marked by our writer, or hanging at some distance on a true joint."""
    if node.children or node.mesh is not None or node.camera is not None or node.extensions:
        return False
    marked = isinstance(node.extras, dict) and node.extras.get(END_SITE_MARK) is True
    return marked or (tree.parents[index] in moving and bool(tree.translations[index].any()))
