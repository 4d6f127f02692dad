"""What the refinement weighs: a task per body part with its own costs of position and orientation, as in mink."""

from dataclasses import dataclass, field

from kinematch.errors import KinematchError

# The tasks of every robot, in the order of their rows; parts that a robot lacks cost nothing.
TASK_NAMES = (
    *("hips", "chest", "left_knee", "right_knee", "left_foot", "right_foot"),
    *("left_elbow", "right_elbow", "left_hand", "right_hand"),
)
HIPS, CHEST, KNEES, FEET, ELBOWS, HANDS = 0, 1, 2, 4, 6, 8


@dataclass(frozen=True)
class Task:
    """How much a part must be where it should."""

    position: float  # per metre
    orientation: float = 0.0  # per radian


@dataclass(frozen=True)
class RobotSettings:
    """How a motion is put on a robot. Half-lives are seconds."""

    hips: Task = Task(1.0, 0.5)
    chest: Task = Task(0.3, 0.3)
    knee: Task = Task(0.2)
    foot: Task = Task(20.0, 2.0)  # while planted
    foot_roll: float = 0.15  # share of a planted foot's orientation cost for lying level across: ankles roll little
    swinging_foot: Task = Task(3.0, 0.3)
    elbow: Task = Task(0.3)
    hand: Task = Task(0.6, 0.05)
    posture: float = 0.05  # per radian from the decomposed angles
    smooth_base: float = 3.0  # per metre by which the base's way from its target changes its pace in a frame of 1/30 s
    smooth_angles: float = 0.05  # per radian, the same of hinges
    haste: float = 5.0  # per radian beyond four fifths of a hinge's speed limit, in a frame of 1/30 s
    collision: float = 30.0  # per metre that two limbs are nearer than the margin
    floor: float = 5.0  # per metre that a point is below the floor
    margin: float = 0.015  # m between limbs
    joint_speed: float = 12.0  # rad/s, where neither the file nor joint_speeds.py says
    joint_acceleration: float = 250.0  # rad/s^2, so that no hinge reverses at full speed from frame to frame
    start_seconds: float = 0.05  # s that a hinge takes to its full speed at least, which slows down slow ones
    iterations: int = 5  # Gauss-Newton steps a frame
    first_iterations: int = 60  # of the first frame, which has no frame before to start from
    lock_halflife: float = 0.02  # s, in which a foot settles flat on the floor at a contact
    release_halflife: float = 0.08  # s, in which it returns to the motion afterwards
    heel_lift: float = 0.25  # rad of pitch from which a planted foot rolls over its toes
    crouch: float = 0.02  # share of the leg's length by which the hips are lowered, since straight knees jerk
    scale: float | None = None  # of the motion; the robot's leg length over the source's if not given
    roles: dict[str, str] = field(default_factory=dict)  # role -> hinge or body, where names mislead

    def __post_init__(self) -> None:
        for name in (
            "margin",
            "lock_halflife",
            "release_halflife",
            "crouch",
            "posture",
            "smooth_base",
            "smooth_angles",
            "haste",
            "floor",
            "collision",
        ):
            if not 0 <= getattr(self, name) < 1e6:
                raise KinematchError(f"{name} is {getattr(self, name)}, expected zero or more")
        if not 0 < self.joint_speed < 1e6:
            raise KinematchError(f"joint_speed is {self.joint_speed}, expected rad/s above zero")
        if not 0 < self.joint_acceleration < 1e9:
            raise KinematchError(f"joint_acceleration is {self.joint_acceleration}, expected rad/s^2 above zero")
        if not 1e-6 <= self.start_seconds < 10:
            raise KinematchError(f"start_seconds is {self.start_seconds}, expected 1e-6 to 10")
        if not (1 <= self.iterations <= 1000 and 1 <= self.first_iterations <= 10000):
            raise KinematchError(f"iterations {self.iterations}, {self.first_iterations}, expected 1 to 1000 and 10000")
        if self.scale is not None and not 0 < self.scale < 100:
            raise KinematchError(f"scale is {self.scale}, expected a number above zero")

    def tasks(self) -> tuple[Task, ...]:
        """One per row of TASK_NAMES."""
        pairs = (self.knee, self.foot, self.elbow, self.hand)
        return (self.hips, self.chest, *(task for task in pairs for _ in range(2)))
