"""Avatar mesh: a user's own character (GLB or VRM); motion is retargeted to its skeleton as it plays."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinematch.character import Crowd
from kinematch.character.state import State
from kinematch.errors import FileError, KinematchError
from kinematch.files import read_clip
from kinematch.files.body_measures import read_bulk
from kinematch.files.gltf_container import open_document
from kinematch.files.gltf_nodes import choose_joints, read_node_tree
from kinematch.files.vrm import read_vrm
from kinematch.motion.clean.root import with_root
from kinematch.motion.kinematics import tpose
from kinematch.motion.retarget.bulk import Bulk
from kinematch.motion.retarget.joints import find_loose_joints
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.roles import missing_roles
from kinematch.motion.skeleton import Skeleton
from kinematch.studio.session.fitting import CharacterFit, find_digest, load_fit, turn_rest_pose

KINDS = (".glb", ".vrm")
TRUNK = ("spine", "chest", "upper_chest", "neck", "root")  # spines of different length share the bend
MAGIC = b"glTF"  # first bytes of both
MOST_MISSING = 8  # roles without a joint, from which nothing in the file looks like a body


@dataclass(frozen=True, eq=False)
class OwnCharacter:
    name: str  # of its file
    skeleton: Skeleton  # as in the file, with a ground root
    nodes: tuple[int, ...]  # (J,) node of the file for each joint, -1 for none
    content: bytes  # the file, for pages to draw; empty in a recording, which keeps the skeleton alone
    bulk: Bulk | None = field(default=None, kw_only=True)  # measured on the mesh, where there is one


def read_character(path: Path, name: str, fit: CharacterFit | None = None) -> OwnCharacter:
    """The character in a file, as its remembered or given fit has it; FileErrors name `name`, as the user knows it."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise FileError(name, "not a GLB or VRM file: its first bytes are not 'glTF'")
    content = path.read_bytes()
    fit = load_fit(find_digest(content)) if fit is None else fit
    try:
        skeleton = turn_rest_pose(read_clip(path, roles=dict(fit.roles) or None).skeleton, fit)
        document = open_document(path)
        joints = choose_joints(document, read_node_tree(document), read_vrm(document))
    except FileError as error:
        raise FileError(name, error.message, line=error.line) from None
    if not any(node.mesh is not None for node in document.gltf.nodes):
        raise FileError(name, "no mesh, so there is nothing to draw; export the character with its mesh")
    missing = missing_roles(skeleton.roles)
    if len(missing) > MOST_MISSING and not document.gltf.skins:
        raise FileError(name, "no usable skeleton: no mesh hangs on joints; export the character with its armature")
    if missing:
        needed = ", ".join(role.replace("_", " ") for role in missing)
        raise FileError(name, f"no usable skeleton: no joint was found for {needed}; choose joints under Fit")
    try:
        rooted = with_root(skeleton)
    except KinematchError as error:
        raise FileError(name, f"no usable skeleton: {error}") from None
    added = rooted.joint_count - skeleton.joint_count
    bulk = read_bulk(path, skeleton)
    bulk = None if bulk is None else bulk.adapt(added=added)
    return OwnCharacter(name, rooted, (*[-1] * added, *joints.nodes), content, bulk=bulk)


def fit_skeleton(worn: OwnCharacter, source: Skeleton) -> tuple[Skeleton, float]:
    """Its skeleton scaled until it is as tall as the source's, and the factor.

    By height rather than by legs: a cartoon figure with short legs would become a giant.
    """
    try:
        Retargeting(source, worn.skeleton)
    except KinematchError as error:
        raise FileError(worn.name, f"no usable skeleton: {error}") from None
    height = _measure_height(worn.skeleton)
    if not height > 0:
        raise FileError(worn.name, "no usable skeleton: all joints of its T-pose are at one height")
    factor = _measure_height(source) / height
    return worn.skeleton.with_scale(factor), factor


def fit_character(worn: OwnCharacter, source: Skeleton) -> tuple[Retargeting, float]:
    """How motion of a skeleton comes onto a character that is scaled to its height, and the factor."""
    skeleton, factor = fit_skeleton(worn, source)
    bulk = None if worn.bulk is None else worn.bulk.adapt(factor=factor)
    return Retargeting(source, skeleton, bulk=bulk), factor


def _measure_height(skeleton: Skeleton) -> float:
    """Metres from the lowest joint of the T-pose to the highest, the ground root left out."""
    heights = tpose(skeleton)[0][1:, 1]
    return float(np.ptp(heights))


def describe_fit(retargeting: Retargeting) -> list[str]:
    """What a user should know of how a character follows the motion, a sentence each."""
    target = retargeting.target
    missing = [role.replace("_", " ") for role in retargeting.source.roles if role not in (*target.roles, *TRUNK)]
    notes = [f"It has no joint for: {', '.join(missing)}."] if missing else []
    for joint, carrier in find_loose_joints(target):
        notes.append(f"{target.names[joint]} is not joined to {target.names[carrier]} in the file; it follows it.")
    return notes


def try_on(worn: OwnCharacter, source: Skeleton) -> Retargeting:
    """Check that a character can be worn, and compile or load what retargets to it."""
    retargeting, _ = fit_character(worn, source)
    retargeting.apply(source.offsets[None], source.rotations[None])
    return retargeting


def continue_motion(crowd: Crowd, state: State) -> None:
    """Let a crowd play on from the state of one with another body; only the feet start afresh."""
    given = state.arrays()
    for name, array in crowd.state.arrays().items():
        if not name.startswith("feet."):  # these depend on the legs of the body that is shown
            array[...] = given[name]
    crowd.state.feet.grounds[:, :, 0] = state.playing.positions[:, 1, None]
