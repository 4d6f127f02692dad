"""Samples glTF animations on an even time line: its rate found from the keys, all three interpolation modes."""

import math

import numpy as np

from kinematch.files.gltf_accessor import read_floats
from kinematch.files.gltf_container import Document
from kinematch.files.gltf_nodes import MOVING_PATHS, Joints, NodeTree
from kinematch.files.gltf_schema import Animation, Sampler
from kinematch.math import quaternion

# in the order they are tried when keys are sparse
COMMON_RATES = (30.0, 24.0, 25.0, 60.0, 50.0, 48.0, 120.0, 100.0, 90.0, 72.0, 240.0, 30 / 1.001, 24 / 1.001, 60 / 1.001)
DEFAULT_RATE = 30.0
_KEY_TOLERANCE = 6e-4  # s; some writers round key times to milliseconds
_SLOWEST_EVEN_RATE = 10.0  # below, even keys are taken for key poses, not for frames
_CELLS = 2_000_000  # frames x joints that a file may ask for however small it is, beside two for each of its bytes

Keys = dict[tuple[int, str], tuple[np.ndarray, np.ndarray, str]]  # (node, path) -> times, values, interpolation


def read_keys(document: Document, animation: Animation, joints: Joints) -> Keys:
    """The keys of the channels that move joints; what they claim is checked here."""
    moved = set(joints.nodes)
    keys: Keys = {}
    lines: dict[int, np.ndarray] = {}  # channels mostly share one time line; reading it once keeps it one array
    for channel in animation.channels:
        node, path = channel.target.node, channel.target.path
        if node is None or node not in moved or path not in MOVING_PATHS:
            continue
        samplers = animation.samplers
        sampler = samplers[document.check_index(channel.sampler, len(samplers), "animation sampler")]
        if (node, path) in keys:
            raise document.error(f"animation {animation.name!r} moves the {path} of node {node} twice")
        if sampler.input not in lines:
            lines[sampler.input] = _read_times(document, sampler.input)
        times = lines[sampler.input]
        keys[node, path] = (times, _read_values(document, sampler, len(times), path), sampler.interpolation)
    return keys


def _read_times(document: Document, accessor: int) -> np.ndarray:
    times = read_floats(document, accessor, "SCALAR").astype(np.float64)
    if not len(times):
        raise document.error(f"accessor {accessor} is the time line of an animation and has no keys")
    if (np.diff(times) < 0).any():
        raise document.error(f"accessor {accessor} has key times that go backwards")
    return times


def _read_values(document: Document, sampler: Sampler, key_count: int, path: str) -> np.ndarray:
    """(keys, 1, n), or (keys, 3, n) for splines: tangent in, value, tangent out."""
    values = read_floats(document, sampler.output, "VEC4" if path == "rotation" else "VEC3")
    per_key = 3 if sampler.interpolation == "CUBICSPLINE" else 1
    if len(values) != per_key * key_count:
        raise document.error(
            f"accessor {sampler.output} has {len(values)} values for {key_count} keys, expected {per_key * key_count}"
        )
    if path != "rotation" and np.abs(values).max() > 1e9:  # so that squares stay inside float32
        raise document.error(f"accessor {sampler.output} has a {path} beyond a thousand million")
    values = values[:, [3, 0, 1, 2]] if path == "rotation" else values
    return values.reshape(key_count, per_key, -1).astype(np.float64)


def time_line(document: Document, animation: Animation, keys: Keys, joint_count: int) -> tuple[np.ndarray, float]:
    """Times of the frames (F,) and their rate, from the first key to the last."""
    lines = {id(times): times for times, _, _ in keys.values()}
    merged = np.unique(np.concatenate(list(lines.values()))) if lines else np.zeros(1)
    merged = merged[np.concatenate([[True], np.diff(merged) > _KEY_TOLERANCE])]
    rate = _written_rate(animation) or find_frame_rate(merged)
    frames = math.floor((merged[-1] - merged[0]) * rate + _KEY_TOLERANCE * rate) + 1
    document.sampled_cells += frames * joint_count
    if document.sampled_cells > _CELLS + 2 * document.content_bytes:
        raise document.error(
            f"animation {animation.name!r} claims {frames / rate:.0f} s, far more than its {len(merged)} keys fill"
        )
    return merged[0] + np.arange(frames) / rate, rate


def _written_rate(animation: Animation) -> float | None:
    rate = animation.extras.get("frame_rate") if isinstance(animation.extras, dict) else None
    return float(rate) if isinstance(rate, (int, float)) and 0 < rate < 1e5 else None


def find_frame_rate(times: np.ndarray) -> float:
    """The rate on whose frames the keys lie; the keys' own rate where they are evenly spaced."""
    if len(times) < 2:
        return DEFAULT_RATE
    span = times[-1] - times[0]
    own = (len(times) - 1) / span
    if (
        own >= _SLOWEST_EVEN_RATE
        and np.abs(times - np.linspace(times[0], times[-1], len(times))).max() < _KEY_TOLERANCE
    ):
        nearest = min(COMMON_RATES, key=lambda rate: abs(rate - own))
        return nearest if abs((len(times) - 1) / nearest - span) < _KEY_TOLERANCE else own
    for rate in COMMON_RATES:
        frames = (times - times[0]) * rate
        if np.abs(frames - np.round(frames)).max() < _KEY_TOLERANCE * rate:
            return rate
    return 60.0 if np.median(np.diff(times)) < 1 / 45 else DEFAULT_RATE


def sample_joints(
    tree: NodeTree, joints: Joints, keys: Keys, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translations (F, A+J, 3), rotations and scales of the nodes above the first joint, then of the joints.

    Scales have one frame when none is animated.
    """
    nodes = [*joints.above, *joints.nodes]
    frames = len(times)
    rest = {"translation": tree.translations, "rotation": tree.rotations, "scale": tree.scales}
    neutral = {"translation": np.zeros(3), "rotation": quaternion.IDENTITY, "scale": np.ones(3)}
    scaled = any((node, "scale") in keys for node in nodes)
    found = []
    for path in MOVING_PATHS:
        start = np.array([rest[path][node] if node >= 0 else neutral[path] for node in nodes])
        values = np.repeat(start[None], 1 if path == "scale" and not scaled else frames, axis=0)
        for k, node in enumerate(nodes):
            if (node, path) in keys:
                values[:, k] = interpolate(*keys[node, path], times, path=path)
        found.append(values)
    return found[0], quaternion.normalize(found[1]), found[2]


def interpolate(key_times: np.ndarray, values: np.ndarray, mode: str, times: np.ndarray, *, path: str) -> np.ndarray:
    """Values (F, n) of one sampler at times (F,); before the first key and after the last it stands still."""
    # a frame this close to a key is that key's: a ten-thousandth of a frame, or the rounding of a float32 time
    near = max(1e-4 * (times[1] - times[0]) if len(times) > 1 else 0, np.abs(times).max() * np.finfo(np.float32).eps)
    left = np.clip(np.searchsorted(key_times, times + near, side="right") - 1, 0, len(key_times) - 1)
    right = np.minimum(left + 1, len(key_times) - 1)
    length = key_times[right] - key_times[left]
    part = np.clip((times - key_times[left]) / np.where(length > 0, length, 1), 0, 1) * (length > 0)
    part = np.where(times - key_times[left] <= near, 0, part)
    middle = values[:, values.shape[1] // 2]
    if mode == "STEP" or not part.any():
        return middle[left]
    if mode == "CUBICSPLINE":
        return _cubic(values, left, right, length, part)
    if path == "rotation":
        unit = quaternion.normalize(middle)
        return quaternion.slerp(unit[left], unit[right], part)
    return middle[left] + (middle[right] - middle[left]) * part[:, None]


def _cubic(values: np.ndarray, left: np.ndarray, right: np.ndarray, length: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Hermite splines, the tangents per second (glTF 2.0, appendix C.5); rotations are normalized by the caller."""
    t, length = part[:, None], length[:, None]
    start, leaving = values[left, 1], values[left, 2]
    end, arriving = values[right, 1], values[right, 0]
    return (
        (2 * t**3 - 3 * t**2 + 1) * start
        + length * (t**3 - 2 * t**2 + t) * leaving
        + (-2 * t**3 + 3 * t**2) * end
        + length * (t**3 - t**2) * arriving
    )
