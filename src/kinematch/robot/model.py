"""RobotModel: the kinematic tree of a robot with hinges only, in our axes (Y up, +Z forward)."""

from dataclasses import dataclass, field

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion.skeleton import Skeleton, skeleton

# Robot files have X forward, Y left, Z up; ours is a cyclic exchange of the same letters, so it is exact.
TO_OURS = [1, 2, 0]
TO_FILE = [2, 0, 1]


@dataclass(frozen=True, eq=False)
class Shape:
    """A simple solid or a mesh on a body; capsules and cylinders lie along their own Y axis."""

    kind: str  # sphere, capsule, cylinder, box, ellipsoid, mesh
    body: int
    position: np.ndarray  # (3,) m, in the body's space
    rotation: np.ndarray  # (4,)
    size: np.ndarray  # (3,) m: radius | radius, half length | half extents
    collides: bool  # with the floor or with anything else; or it is only there to be seen
    mesh: str = ""  # path of the mesh file, relative to the model's folder
    scale: np.ndarray = field(default_factory=lambda: np.ones(3))  # (3,) of the mesh, in our axes
    color: tuple[float, float, float] = (0.7, 0.7, 0.7)
    name: str = ""
    masks: tuple[int, int] = (1, 1)  # contype and conaffinity of MuJoCo: bits of which two shapes must share one


@dataclass(frozen=True, eq=False)
class Site:
    """A named point on a body."""

    name: str
    body: int
    position: np.ndarray  # (3,) m, in the body's space


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A floating base and hinges. Link 0 is the base; link k + 1 turns with hinge k. It never changes.

    A body of the file rides on one link: several hinges of one body make several links, and a body that is welded to
    its parent rides on the parent's link.
    """

    name: str
    path: str
    hinge_names: tuple[str, ...]  # (D,) in the file's order, which is that of joint angles in all output
    parents: np.ndarray  # (L,) int32, L = D + 1; -1 for the base
    offsets: np.ndarray  # (L, 3) m, in the parent link's space
    rotations: np.ndarray  # (L, 4), of the link at angle zero, in the parent link's space
    axes: np.ndarray  # (L, 3) unit, in the link's space; zero for the base
    limits: np.ndarray  # (D, 2) rad
    speeds: np.ndarray  # (D,) rad/s, infinite where the file does not say
    body_names: tuple[str, ...]  # (B,) depth first, as in the file
    body_parents: np.ndarray  # (B,) int32
    body_links: np.ndarray  # (B,) int32
    body_offsets: np.ndarray  # (B, 3) m, in the link's space
    body_rotations: np.ndarray  # (B, 4)
    body_centres: np.ndarray  # (B, 3) m of mass, in the link's space; NaN where the file does not say
    standing: np.ndarray  # (4,) of the base as the file places it
    shapes: tuple[Shape, ...] = ()
    sites: tuple[Site, ...] = ()
    excluded: frozenset[tuple[int, int]] = frozenset()  # pairs of bodies that may overlap, lower number first
    contact_pairs: frozenset[tuple[int, int]] = frozenset()  # of shapes that collide whatever else forbids it
    notes: tuple[str, ...] = ()  # what was left out while reading

    def __post_init__(self) -> None:
        links, hinges = len(self.parents), len(self.hinge_names)
        if not hinges:
            raise KinematchError("the robot has no hinge")
        if links != hinges + 1 or self.parents[0] != -1 or (self.parents[1:] >= np.arange(1, links)).any():
            raise KinematchError("links must stand parents first, one for the base and one for each hinge")
        if len(set(self.hinge_names)) != hinges:
            twice = next(n for n in self.hinge_names if self.hinge_names.count(n) > 1)
            raise KinematchError(f"two hinges are named {twice!r}; names must differ")
        if (self.limits[:, 0] > self.limits[:, 1]).any():
            k = int(np.argmax(self.limits[:, 0] > self.limits[:, 1]))
            raise KinematchError(f"hinge {self.hinge_names[k]!r}: limits {self.limits[k].tolist()}, expected low, high")

    @property
    def hinge_count(self) -> int:
        """D."""
        return len(self.hinge_names)

    def place_links(
        self, base_positions: np.ndarray, base_rotations: np.ndarray, angles: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Global positions (..., L, 3) and rotations (..., L, 4) from the base's place and joint angles (..., D)."""
        shape = angles.shape[:-1]
        positions, rotations = np.empty((*shape, len(self.parents), 3)), np.empty((*shape, len(self.parents), 4))
        positions[..., 0, :], rotations[..., 0, :] = base_positions, base_rotations
        turns = rotation.from_axis_angle(self.axes[1:], angles)
        for link in range(1, len(self.parents)):
            above = self.parents[link]
            offset = quaternion.rotate(rotations[..., above, :], self.offsets[link])
            positions[..., link, :] = positions[..., above, :] + offset
            zero = quaternion.multiply(rotations[..., above, :], self.rotations[link])
            rotations[..., link, :] = quaternion.multiply(zero, turns[..., link - 1, :])
        return positions, rotations

    def place_bodies(self, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Global positions (..., B, 3) and rotations (..., B, 4) of the file's bodies, from those of links."""
        at, turned = positions[..., self.body_links, :], rotations[..., self.body_links, :]
        return at + quaternion.rotate(turned, self.body_offsets), quaternion.multiply(turned, self.body_rotations)

    def make_skeleton(self) -> Skeleton:
        """The links as a skeleton, for BVH and GLB; its rest pose is that of angles zero."""
        ends = []
        for link in range(1, len(self.parents)):
            if link not in self.parents and (tip := self._tip(link)).any():
                ends.append((link, tip))
        return skeleton(self.link_names(), self.parents, self.offsets, rotations=self.rotations, ends=ends)

    def link_names(self) -> list[str]:
        """Each link by the body that rides on it, or by its hinge."""
        first: dict[int, str] = {}
        for body, link in enumerate(self.body_links):
            first.setdefault(int(link), self.body_names[body])
        names = [first.get(k, self.hinge_names[k - 1]) for k in range(len(self.parents))]
        return [name if names.count(name) == 1 else self.hinge_names[k - 1] for k, name in enumerate(names)]

    def _tip(self, link: int) -> np.ndarray:
        """The middle of what a last link carries; it shows where hands and heads point."""
        at = [quaternion.rotate(self.body_rotations[s.body], s.position) + self.body_offsets[s.body]
              for s in self.shapes if self.body_links[s.body] == link]  # fmt: skip
        at += [self.body_offsets[s.body] + s.position for s in self.sites if self.body_links[s.body] == link]
        return max(at, key=lambda p: float(p @ p), default=np.zeros(3))
