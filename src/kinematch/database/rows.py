"""Rows: the table of a source that computes its poses; every step fills it for each character."""

import numpy as np

from kinematch.database.description import SourceDescription
from kinematch.database.table import EACH_ROW, Table, empty_table, find_trajectory_columns

ROW_RATE = 60.0  # Hz, of rows of sources without a frame rate


def make_rows(count: int, moving: np.ndarray, about: SourceDescription) -> Table:
    """A table with one row for each character, of sources that compute their poses: each row is a clip of one frame.

    Toe heights of its rows count from where toes stand."""
    characters, whole, single, schema = np.arange(count, dtype=np.int32), np.int32, np.float32, about.schema
    joints, contacts = about.skeleton.joint_count, len(about.contact_joints)
    columns, horizons = find_trajectory_columns(schema)
    return empty_table()._replace(
        rotations=np.zeros((count, joints, 4), single), velocities=np.zeros((count, joints, 3), single),
        angular_velocities=np.zeros((count, joints, 3), single), places=np.zeros((count, len(moving), 3), single),
        moving=np.array(moving, whole), contacts=np.zeros((count, contacts), bool),
        contact_left=np.zeros((count, contacts), single), toe_heights=np.zeros((count, contacts), single),
        toe_rests=np.zeros(contacts), no_exit=np.zeros(count, bool), clip_of=characters,
        starts=characters.copy(), stops=characters + whole(1), loops=np.zeros(count, bool),
        loop_shifts=np.zeros((count, 3)), loop_turns=np.zeros(count), next_frames=characters.copy(),
        root_paths=np.zeros((count, 6)), paces=np.zeros(count, single),
        features=np.zeros((count, schema.width), single), feature_offset=np.array(about.feature_offset, single),
        feature_scale=np.array(about.feature_scale, single), trajectory_columns=columns, horizons=horizons,
        past_count=int((horizons < 0).sum()), frame_rate=float(about.frame_rate or ROW_RATE), frame_count=count,
        each=EACH_ROW,
    )  # fmt: skip
