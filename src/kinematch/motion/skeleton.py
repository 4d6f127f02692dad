"""Skeleton: the joints of a rig, their rest pose, reference T-pose and humanoid roles. It never changes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from kinematch.copies import Unchanging
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion

LARGEST_LENGTH = 1e9  # m, or units of a file: squares of float32 stay far from overflow
LARGEST_COMPONENT = 1.001  # of a unit quaternion, with room for rounding


@dataclass(frozen=True, eq=False)
class Skeleton(Unchanging):
    """The joints of a rig, parents first, with their rest pose, reference T-pose and roles. It never changes."""

    names: tuple[str, ...]
    parents: np.ndarray  # (J,) int32, -1 for the first joint; parents[i] < i
    offsets: np.ndarray  # (J, 3) m, rest position in the parent's space
    rotations: np.ndarray  # (J, 4) rest rotation in the parent's space
    end_parents: np.ndarray  # (E,) int32, the joint that each end site hangs on
    end_offsets: np.ndarray  # (E, 3) m, in that joint's space
    file_order: np.ndarray  # (J,) int32, file_order[k] is the joint that stands k-th in the file
    roles: Mapping[str, int] = field(default_factory=dict)  # humanoid role -> joint; 'root' is the ground root
    tpose: np.ndarray | None = None  # (J, 4) local rotations of the reference T-pose, facing +Z

    def __post_init__(self) -> None:
        joints = len(self.names)
        if not joints:
            raise KinematchError("a skeleton needs at least one joint")
        if len(set(self.names)) != joints:
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise KinematchError(f"two joints are named {twice!r}; joint names must differ")
        set_array(self, "parents", (joints,), np.int32)
        set_array(self, "offsets", (joints, 3), np.float32)
        set_array(self, "rotations", (joints, 4), np.float32)
        ends = len(self.end_parents)
        set_array(self, "end_parents", (ends,), np.int32)
        set_array(self, "end_offsets", (ends, 3), np.float32)
        set_array(self, "file_order", (joints,), np.int32)
        if self.tpose is not None:
            set_array(self, "tpose", (joints, 4), np.float32)
        if self.parents[0] != -1 or (self.parents[1:] >= np.arange(1, joints)).any():
            raise KinematchError("joints must stand parents first, with one root at index 0")
        if (self.parents[1:] < 0).any():
            raise KinematchError(f"{self.names[1 + int(np.argmax(self.parents[1:] < 0))]!r} is a second root")
        if ((self.end_parents < 0) | (self.end_parents >= joints)).any():
            raise KinematchError(f"end sites hang on joints {self.end_parents.tolist()}, expected 0 to {joints - 1}")
        if not np.array_equal(np.sort(self.file_order), np.arange(joints)):
            raise KinematchError(f"file_order is {self.file_order.tolist()}, expected each of {joints} joints once")
        bad = {role: joint for role, joint in self.roles.items() if not 0 <= joint < joints}
        if bad:
            raise KinematchError(f"roles name joints that do not exist: {bad}")
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))

    @property
    def joint_count(self) -> int:
        """J."""
        return len(self.names)

    def joint(self, name: str) -> int:
        """The joint of a name, or of a role; 'joint:x' and 'role:x' settle a name that is both."""
        kind, _, rest = name.rpartition(":") if name.startswith(("joint:", "role:")) else ("", "", name)
        by_name = self.names.index(rest) if kind != "role" and rest in self.names else None
        by_role = self.roles.get(rest) if kind != "joint" else None
        if by_name is None and by_role is None:
            raise KinematchError(unknown("joint or role", rest, (*self.names, *self.roles)))
        if by_name is not None and by_role is not None and by_name != by_role:
            raise KinematchError(
                f"{rest!r} is a joint and also the role of {self.names[by_role]!r}; say 'joint:{rest}' or 'role:{rest}'"
            )
        found = by_name if by_name is not None else by_role
        assert found is not None
        return found

    def children(self, joint: int) -> list[int]:
        """The joints whose parent is this one."""
        return [int(j) for j in np.flatnonzero(self.parents == joint)]

    def chain(self, joint: int) -> list[int]:
        """The joints from the first one down to this one."""
        path = [joint]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return path[::-1]

    def with_roles(self, roles: Mapping[str, int]) -> "Skeleton":
        """A copy with these roles in place of its own."""
        return replace(self, roles=dict(roles))

    def with_tpose(self, tpose: np.ndarray) -> "Skeleton":
        """A copy with this T-pose, local rotations (J, 4)."""
        return replace(self, tpose=quaternion.normalize(tpose))

    def with_scale(self, factor: float) -> "Skeleton":
        """A copy scaled by a factor."""
        return replace(self, offsets=self.offsets * factor, end_offsets=self.end_offsets * factor)

    def difference(self, other: "Skeleton", *, tolerance: float = 1e-3) -> str | None:
        """The difference to another skeleton, in words; None when motion can be shared (offsets within 1 mm)."""
        if self.names != other.names:
            missing = [n for n in self.names if n not in other.names]
            extra = [n for n in other.names if n not in self.names]
            if missing or extra:
                return f"joints missing: {missing or 'none'}; joints added: {extra or 'none'}"
            k = next(i for i, (a, b) in enumerate(zip(self.names, other.names)) if a != b)
            return f"joint {k} is {other.names[k]!r} instead of {self.names[k]!r}"
        if (self.parents != other.parents).any():
            k = int(np.argmax(self.parents != other.parents))
            return f"{self.names[k]!r} hangs on another parent"
        # the first joint's rest position is where the performer stood, not a bone
        apart = np.linalg.norm(self.offsets - other.offsets, axis=-1)
        apart[: 1 + ("root" in self.roles)] = 0
        if apart.max(initial=0) > tolerance:
            k = int(np.argmax(apart))
            own, theirs = (float(np.linalg.norm(rig.offsets[k])) for rig in (self, other))
            if abs(own - theirs) <= tolerance:  # of one length, but turned: axes differ, not performers
                return (
                    f"bone {self.names[k]!r} points along {_way(other.offsets[k])} instead of {_way(self.offsets[k])}"
                )
            return f"bone {self.names[k]!r} is {theirs:.4f} m long instead of {own:.4f} m"
        return None


def _way(offset: np.ndarray) -> str:
    """`-X` along an axis, `(0.02, 0.41, -0.03) m` between them."""
    k = int(np.argmax(np.abs(offset)))
    if np.abs(offset[k]) > 0.99 * np.linalg.norm(offset):
        return ("-" if offset[k] < 0 else "+") + "XYZ"[k]
    return f"({', '.join(f'{x:.2f}' for x in offset)}) m"


def skeleton(
    names: Iterable[str],
    parents: Iterable[int],
    offsets: np.ndarray,
    *,
    rotations: np.ndarray | None = None,
    ends: Iterable[tuple[int, Iterable[float]]] = (),
    roles: Mapping[str, int] | None = None,
) -> Skeleton:
    """A skeleton from the least that defines one, its joints already parents first."""
    names, ends = tuple(names), list(ends)
    return Skeleton(
        names=names,
        parents=np.asarray(list(parents)),
        offsets=np.asarray(offsets),
        rotations=quaternion.identity((len(names),)) if rotations is None else rotations,
        end_parents=np.array([joint for joint, _ in ends], np.int32),
        end_offsets=np.array([list(offset) for _, offset in ends], np.float32).reshape(-1, 3),
        file_order=np.arange(len(names)),
        roles=dict(roles or {}),
    )


def set_array(owner: object, name: str, shape: tuple[int, ...], dtype: type) -> None:
    """Check shape and values once, and store a read-only array of the agreed type."""
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit the type is refused below
        array: np.ndarray = np.ascontiguousarray(getattr(owner, name), dtype)
    if array.shape != shape:
        raise KinematchError(f"{name} has shape {array.shape}, expected {shape}")
    most = LARGEST_COMPONENT if shape[-1] == 4 else LARGEST_LENGTH
    if array.dtype == np.float32 and array.size and not (array.max() <= most and array.min() >= -most):
        place = np.unravel_index(np.argmax(~(np.abs(array) <= most)), shape)
        where = ", ".join(str(int(k)) for k in place)
        raise KinematchError(f"{name}[{where}] is {array[place]}, expected a number from -{most:g} to {most:g}")
    if array.base is None and array is getattr(owner, name):
        array = array.view()
    array.flags.writeable = False
    object.__setattr__(owner, name, array)
