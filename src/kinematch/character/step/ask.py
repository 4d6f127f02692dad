"""Ask: the query of a character, from the pose that plays and the trajectory ahead."""

from kinematch.character import constants as c
from kinematch.character.step.bodies import find_goal, predict_body, recall_root
from kinematch.character.step.playback import read_playing
from kinematch.character.step.schedule import note_search
from kinematch.compile.jit import inner
from kinematch.database.frame_kernels import is_in_contact, read_features, read_pace
from kinematch.database.table import DIRECTION, POSITION
from kinematch.math.series import rotate_about_y

X, Y, Z, FORWARD_X, FORWARD_Z = POSITION, POSITION + 1, POSITION + 2, DIRECTION, DIRECTION + 2


@inner
def ask(data, source, n, dt):
    """Put the query of a character together, normalised, into `schedule.queries`.

    Everything is taken back to the moment of the playing frame, whose features are stored: what is found goes on with
    the same fraction.
    """
    data.pose.searched[n] = True
    frame, fraction = read_playing(data, source, n)
    ago = fraction / source.frame_rate
    goal = find_goal(data, n)
    data.schedule.idle[n] = goal[4] and abs(goal[0]) < c.ALIGNED and is_resting(source, frame)
    fill_query(data, source, n, frame, ago, goal)
    note_search(data, n, dt)


@inner
def fill_query(data, source, n, frame, ago, goal):
    """The query itself, for where `find_goal` says that the character is predicted to go."""
    if not data.orders.given[0]:  # else the controller's trajectory is noted already
        trajectory = data.schedule.trajectories
        for h in range(trajectory.shape[1]):
            moment = source.horizons[h + source.past_count] - ago
            place = predict_body(data, n, moment, goal[0], goal[1], goal[2], goal[3])
            for i in range(4):
                trajectory[n, h, i] = place[i]
    read_features(source, frame, data.schedule.queries, n)
    ask_for_trajectory(data, source, n, ago)


@inner
def ask_for_trajectory(data, source, n, ago):
    """The trajectory in the root's axes, at the moment of the playing frame, `ago` s before now."""
    body, playing, queries = data.body, data.playing, data.schedule.queries
    scale = data.rig.scale
    root_yaw = playing.yaws[n] - ago * body.yaw_rates[n]
    root_x = playing.positions[n, 0] - ago * body.velocities[n, 0]
    root_y = body.positions[n, 1] - ago * body.velocities[n, 1]  # queries know no terrain
    root_z = playing.positions[n, 2] - ago * body.velocities[n, 2]
    at = -1
    x = y = z = forward_x = forward_z = 0.0
    for row in range(source.trajectory_columns.shape[0]):
        column, which = source.trajectory_columns[row, 0], source.trajectory_columns[row, 1]
        if source.trajectory_columns[row, 2] != at:
            at = source.trajectory_columns[row, 2]
            px, py, pz, yaw = find_place(data, source, n, at, ago)
            x, z = rotate_about_y(px - root_x, pz - root_z, -root_yaw)
            y = py - root_y
            forward_x, forward_z = rotate_about_y(0.0, 1.0, yaw - root_yaw)
        value = 0.0
        if which == X:
            value = x / scale
        elif which == Y:
            value = y / scale
        elif which == Z:
            value = z / scale
        elif which == FORWARD_X:
            value = forward_x
        elif which == FORWARD_Z:
            value = forward_z
        queries[n, column] = (value - source.feature_offset[column]) / source.feature_scale[column]


@inner
def find_place(data, source, n, horizon, ago):
    """Where the root will be (x, y, z, yaw), or was, at a time of the schema."""
    future = horizon - source.past_count
    if future < 0:
        return recall_root(data, n, ago - source.horizons[horizon])
    trajectory = data.schedule.trajectories
    return trajectory[n, future, 0], trajectory[n, future, 1], trajectory[n, future, 2], trajectory[n, future, 3]


@inner
def is_resting(source, frame):
    """Whether the clip stands: nothing is lost if it is left here."""
    standing = read_pace(source, frame) < c.RESTING_PACE
    for contact in range(source.contacts.shape[1]):
        standing = standing and is_in_contact(source, frame, contact)
    return standing


@inner
def is_near(data, n):
    """Whether a query is finite, and near enough for a finite cost."""
    near = True
    for column in range(data.schedule.queries.shape[1]):
        near = near and abs(data.schedule.queries[n, column]) < c.FARTHEST_QUERY
    return near
