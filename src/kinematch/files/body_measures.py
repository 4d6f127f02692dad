"""Body measures of a mesh: thickness of trunk, head and arms, and the distance from foot joints to soles."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.files.gltf_mesh import CharacterMesh, CharacterSkin, posed_positions
from kinematch.files.gltf_read import GltfCharacter, read_gltf
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.retarget.bulk import Bulk, guess_bulk
from kinematch.motion.skeleton import Skeleton

MIN_PART_VERTICES = 30  # vertices from which a part of the body is measured
DISTANCE_QUANTILE = 0.75  # quantile of distances: clothes, ears and hats stick out
HEAD_QUANTILES = (0.05, 0.95)  # quantiles between which a head lies
MIN_FOOT_VERTICES = 4  # vertices of a foot
SOLE_HEIGHT_SHARE = 0.35  # of the ankle's height: what lies lower is the sole
MAX_ARM_RADIUS_SHARE = 0.3  # of half the distance between the shoulders


def read_bulk(path: str | Path, skeleton: Skeleton) -> Bulk | None:
    """The bulk of the character in a file, for its skeleton as read_clip gives it; None where it has no mesh."""
    if Path(path).suffix.lower() not in (".glb", ".gltf", ".vrm") or skeleton.tpose is None:
        return None
    try:
        return measure_bulk(read_gltf(path), skeleton)
    except FileError:
        return None  # the skeleton was read, so it is the mesh that cannot be


def measure_bulk(model: GltfCharacter, skeleton: Skeleton) -> Bulk | None:
    """From the vertices around the joints of trunk, head and arms, in the T-pose."""
    if not model.meshes or skeleton.tpose is None:
        return None
    guess = guess_bulk(skeleton)
    positions, rotations = (array.astype(np.float64) for array in kinematics.tpose(skeleton))
    places, carriers = place_vertices(model, positions, rotations)
    roles = skeleton.roles
    trunk = _find_below(skeleton, [roles["hips"]], stop=_list_limbs(roles))
    low = positions[roles["hips"]]
    top = positions[roles.get("neck", roles["head"])]
    own = places[np.isin(carriers, trunk)]
    inner = own[(own[:, 1] > low[1]) & (own[:, 1] < top[1])]
    head = places[np.isin(carriers, _find_below(skeleton, [roles["head"]], stop=[]))]
    centre, radius = guess.head_centre, guess.head
    if len(head) >= MIN_PART_VERTICES:
        low_corner, high_corner = np.quantile(head, HEAD_QUANTILES, axis=0)
        radius = float((high_corner - low_corner).min() / 2)  # a ball within the head, however wide its hat
        middle = (low_corner + high_corner) / 2
        centre = quaternion.rotate(quaternion.inverse(rotations[roles["head"]]), middle - positions[roles["head"]])
    arms = []
    for side in ("left", "right"):
        elbow, hand = roles[f"{side}_lower_arm"], roles[f"{side}_hand"]
        forearm = places[carriers == elbow]
        arms.append(_quantile(_from_axis(forearm, positions[elbow], positions[hand]), guess.arm))
    # an arm that hangs from its shoulder must be outside of the trunk
    half = float(np.linalg.norm(positions[roles["left_upper_arm"]] - positions[roles["right_upper_arm"]]) / 2)
    arm = min(float(np.mean(arms)), MAX_ARM_RADIUS_SHARE * half)
    trunk_radius = min(_quantile(_from_axis(inner, low, top), guess.trunk), half - arm)
    soles = [
        point
        for side in ("left", "right")
        for point in _find_sole(skeleton, roles[f"{side}_foot"], places, carriers, positions, rotations)
    ]
    return Bulk(trunk_radius, centre, radius, arm, tuple(soles))


def _find_sole(
    skeleton: Skeleton, foot: int, places: np.ndarray, carriers: np.ndarray, positions: np.ndarray,
    rotations: np.ndarray,
) -> list[tuple[int, np.ndarray]]:  # fmt: skip
    """The corners of a sole: of the vertices near the bottom of a foot, those farthest ahead, behind and aside."""
    own = np.flatnonzero(np.isin(carriers, _find_below(skeleton, [foot], stop=[])))
    if len(own) < MIN_FOOT_VERTICES:
        return []
    bottom = places[own, 1].min()
    low = own[places[own, 1] < bottom + SOLE_HEIGHT_SHARE * max(positions[foot, 1] - bottom, 0.0) + 1e-6]
    found = []
    for axis, sign in ((2, 1), (2, -1), (0, 1), (0, -1), (1, -1)):
        vertex = low[np.argmax(sign * places[low, axis])]
        joint = int(carriers[vertex])
        away = places[vertex] - positions[joint]
        found.append((joint, quaternion.rotate(quaternion.inverse(rotations[joint]), away)))
    return found


def place_vertices(model: GltfCharacter, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All vertices (V, 3) for a global pose of the model's skeleton, and the joint (V,) that carries each most."""
    places, carriers = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for mesh in model.meshes:
        skin: CharacterSkin = model.skins[mesh.skin]
        places.append(posed_positions(mesh, skin, positions, rotations))
        carriers.append(_find_carriers(mesh, skin))
    return np.concatenate(places), np.concatenate(carriers)


def _find_carriers(mesh: CharacterMesh, skin: CharacterSkin) -> np.ndarray:
    heaviest = np.argmax(mesh.weights, axis=1)
    return skin.joints[mesh.joints[np.arange(len(heaviest)), heaviest]]


def _list_limbs(roles: Mapping[str, int]) -> list[int]:
    parts = ("upper_leg", "upper_arm", "shoulder")
    return [roles[f"{side}_{part}"] for side in ("left", "right") for part in parts if f"{side}_{part}" in roles] + [
        roles.get("neck", roles["head"])
    ]


def _find_below(skeleton: Skeleton, starts: list[int], *, stop: list[int]) -> list[int]:
    """Joints that hang on some, these included, but not on those where to stop."""
    chains = {joint: set(skeleton.chain(joint)) for joint in range(skeleton.joint_count)}
    return [joint for joint, chain in chains.items() if chain & set(starts) and not chain & set(stop)]


def _from_axis(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distances of points from the line through a and b."""
    way = quaternion.unit(b - a)
    away = points - a
    return np.linalg.norm(away - (away @ way)[:, None] * way, axis=-1)


def _quantile(distances: np.ndarray, guess: float) -> float:
    return float(np.quantile(distances, DISTANCE_QUANTILE)) if len(distances) >= MIN_PART_VERTICES else guess
