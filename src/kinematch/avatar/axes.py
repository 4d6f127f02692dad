"""Axes of other programs to ours (right-handed, +Y up, +Z forward, +X left) and back: WebXR and Unity."""

import numpy as np

# Each conversion turns or mirrors the axes of the world and of the device alike, and is its own inverse.
WEBXR = np.array([-1.0, 1, -1])  # right-handed, +Y up, -Z forward: half a turn about +Y; OpenXR, OpenVR and A-Frame too
UNITY = np.array([-1.0, 1, 1])  # left-handed, +Y up, +Z forward: a mirror


def swap_webxr(vectors: np.ndarray) -> np.ndarray:
    """Positions, velocities or angular velocities (..., 3), from WebXR's axes to ours or from ours to WebXR's."""
    return np.asarray(vectors) * WEBXR


def swap_webxr_rotations(rotations: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4), w first, from WebXR's axes to ours or from ours to WebXR's."""
    return np.asarray(rotations) * np.array([1.0, *WEBXR])


def swap_unity(vectors: np.ndarray) -> np.ndarray:
    """Positions or velocities (..., 3), from Unity's axes to ours or from ours to Unity's."""
    return np.asarray(vectors) * UNITY


def swap_unity_rotations(rotations: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4), w first, from Unity's axes to ours or from ours to Unity's: a mirror reverses turns."""
    return np.asarray(rotations) * np.array([1.0, *-UNITY])
