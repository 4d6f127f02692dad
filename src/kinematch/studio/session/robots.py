"""Robots on the stage: a model file worn in place of a character, each one's angles solved live."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.character.pose import Pose
from kinematch.errors import FileError, KinematchError
from kinematch.files.gltf_write import write_glb
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.role_names import ROLES
from kinematch.motion.skeleton import Skeleton, skeleton
from kinematch.robot.appearance import make_looks
from kinematch.robot.model import RobotModel
from kinematch.robot.read import read_robot
from kinematch.robot.retargeting import RobotRetargeting
from kinematch.robot.segments import find_anatomy
from kinematch.stream.picture import pack_robots
from kinematch.studio.session.avatar_mesh import OwnCharacter

MAX_ROBOTS = 32  # robots at once: each takes a third of a millisecond of a step of sixteen
GROUND = "ground"  # joint 0, ours


@dataclass(frozen=True, eq=False)
class WornRobot(OwnCharacter):
    """Its skeleton is of the file's own size; Stage shows it as tall as the motion's person."""

    model: RobotModel


def read_worn_robot(path: Path) -> WornRobot:
    """A robot model with its meshes, or capsules, as a GLB that pages know how to wear."""
    model = read_robot(path)
    links = model.make_skeleton()
    try:
        anatomy = find_anatomy(model)
    except KinematchError as error:
        raise FileError(path, str(error)) from None
    rooted = skeleton(
        [GROUND, *links.names],
        [-1, *(links.parents + 1)],
        np.concatenate([np.zeros((1, 3)), links.offsets]),
        rotations=np.concatenate([quaternion.IDENTITY[None], links.rotations]),
        ends=[(joint + 1, offset) for joint, offset in zip(links.end_parents, links.end_offsets)],
        roles={"root": 0, **{role: link + 1 for role, link in anatomy.links.items() if role in ROLES}},
    )
    still = Clip(links, links.offsets[None], links.rotations[None], 60.0, model.name)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "robot.glb"
        write_glb(place, still, body=make_looks(model))
        content = place.read_bytes()
    return WornRobot(path.name, rooted, (-1, *range(links.joint_count)), content, model)


class RobotActors:
    """The robots of all groups. Each begins afresh where a group grows, starts over or goes back in time."""

    def __init__(self, worn: WornRobot, source: Skeleton):
        self.worn, self.source = worn, source
        first = RobotRetargeting(source, worn.model)
        self.scale = 1 / float(first.plan.scales[0])
        self.skeleton = worn.skeleton.with_scale(self.scale)
        self.moving = np.array([1])  # the base moves against the ground root
        self.actors: dict[str, list[RobotRetargeting]] = {"a": [first]}
        self.solved: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}  # of the last step, by group

    def check_count(self, count: int) -> None:
        """Refuse more than can be solved in time."""
        if count > MAX_ROBOTS:
            raise KinematchError(f"{count} robots at once, expected at most {MAX_ROBOTS}")

    def forget(self) -> None:
        """The next frame of every robot is a first one."""
        for actor in (one for group in self.actors.values() for one in group):
            actor.restart()

    def show(self, group: str, pose: Pose, dt: float) -> Pose:
        """The poses of a group's characters on robots, which are as large as they."""
        count = len(pose.positions)
        own = self.actors.setdefault(group, [])
        own += [RobotRetargeting(self.source, self.worn.model) for _ in range(count - len(own))]
        del own[count:]
        model = self.worn.model
        positions = np.tile(self.skeleton.offsets, (count, 1, 1))
        rotations = np.tile(self.skeleton.rotations, (count, 1, 1))
        ground, turns = pose.positions[:, 0].astype(np.float64), pose.rotations[:, 0].astype(np.float64)
        level = np.array(pose.positions)
        level[:, 0, 1] = 0.0  # robots are solved on flat ground at height zero, and put back where they are
        solved = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, model.hinge_count))
        self.solved[group] = solved
        for n, actor in enumerate(own):
            base, turn, angles = actor.step(
                level[n : n + 1], pose.rotations[n : n + 1], pose.contacts[n : n + 1, :2], dt
            )
            solved[0][n], solved[1][n], solved[2][n] = base[0], turn[0], angles[0]
            back = quaternion.inverse(turns[n])
            positions[n, 1] = quaternion.rotate(back, base[0] * self.scale - ground[n] * [1, 0, 1])
            rotations[n, 1] = quaternion.multiply(back, turn[0])
            half = angles[0, :, None] / 2
            own_turns = np.concatenate([np.cos(half), np.sin(half) * model.axes[1:]], axis=1)
            rotations[n, 2:] = quaternion.multiply(model.rotations[1:], own_turns)
        positions[:, 0], rotations[:, 0] = ground, turns
        return pose._replace(positions=positions, rotations=rotations)

    def pack(self, step: int, dt: float, groups: Sequence[str]) -> bytes:
        """The robot frame of a step, groups in this order."""
        bases, turns, angles = (np.concatenate(part) for part in zip(*[self.solved[name] for name in groups]))
        return pack_robots(step, dt, bases, turns, angles)
