"""Projection: between camera space and the picture of a pinhole camera, and where in camera space a body is."""

import numpy as np

from kinematch.camera.landmarks import Landmarks

FIELD_OF_VIEW = float(np.radians(65))  # across the picture, of a usual webcam
MIN_VISIBILITY = 0.3  # below it a landmark is invented rather than seen
MIN_LANDMARKS = 4  # landmarks that are needed to locate a body


def project(places: np.ndarray, field_of_view: float, aspect: float) -> np.ndarray:
    """Image coordinates (..., 2) of camera-space places (..., 3), which lie in front of the camera."""
    reach = 2 * np.tan(field_of_view / 2)
    depths = np.maximum(places[..., 2], 0.05)  # nearer than 5 cm nothing is sharp, and behind it nothing is seen
    return np.stack(
        [0.5 - places[..., 0] / depths / reach, 0.5 - places[..., 1] / depths / reach * aspect], axis=-1
    )  # fmt: skip


def find_slopes(image: np.ndarray, field_of_view: float, aspect: float) -> np.ndarray:
    """x / z and y / z (..., 2) in camera axes of image coordinates: the inverse of `project` up to the depth."""
    reach = 2 * np.tan(field_of_view / 2)
    return np.stack([(0.5 - image[..., 0]) * reach, (0.5 - image[..., 1]) * reach / aspect], axis=-1)


def locate_bodies(landmarks: Landmarks, field_of_view: float = FIELD_OF_VIEW) -> np.ndarray:
    """Where the hips are in camera space (F, 3) m; NaN where too little is seen.

    Landmarks about the hips, moved by the place t, project onto the picture: p_x + t_x = u (p_z + t_z), and y alike.
    That is linear in t, so weighted least squares give it in closed form.
    """
    p, slopes = landmarks.places, find_slopes(landmarks.image, field_of_view, landmarks.aspect)
    w = np.where(landmarks.visibility >= MIN_VISIBILITY, landmarks.visibility, 0.0)
    known = (w > 0).sum(axis=1) >= MIN_LANDMARKS
    u, v = slopes[..., 0], slopes[..., 1]
    right = np.stack([u * p[..., 2] - p[..., 0], v * p[..., 2] - p[..., 1]], axis=-1)
    sums = w.sum(axis=1)
    mean_u, mean_v, mean_rx, mean_ry = ((w * a).sum(axis=1) / np.maximum(sums, 1e-9)
                                        for a in (u, v, right[..., 0], right[..., 1]))  # fmt: skip
    # t_x - u t_z = r_x, t_y - v t_z = r_y: with the means taken off, t_z alone is left
    du, dv = u - mean_u[:, None], v - mean_v[:, None]
    spread = (w * (du * du + dv * dv)).sum(axis=1)
    known &= spread > 1e-6  # a body of one pixel has no distance
    across = (w * (du * (right[..., 0] - mean_rx[:, None]) + dv * (right[..., 1] - mean_ry[:, None]))).sum(axis=1)
    depth = -across / np.where(known, spread, 1.0)
    places = np.stack([mean_rx + mean_u * depth, mean_ry + mean_v * depth, depth], axis=-1)
    return np.where((known & (depth > 0.1))[:, None], places, np.nan)
