"""SimulatedRobot: a model file opened by MuJoCo, with a floor, a free base and a PD controller at each hinge."""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.robot.model import RobotModel
from kinematch.robot.simulation.joint_torques import find_joint_torques
from kinematch.robot.xml_reading import Element, read_xml

TIMESTEP_SECONDS = 0.004  # of the simulation
MAX_COMPILE_SECONDS = 120  # s
DEFLECTION = 0.5  # rad at which the controller has its largest torque
UNKNOWN_TORQUE = 3.0  # N m for each kg of the robot, where nothing says how strong a hinge is
DAMPING_RATIO = 0.7  # of a hinge that moves what hangs on it, at angles zero
# what makes elements while it is compiled, or reads other files: our reader leaves it out, so it is not simulated
REFUSED_ELEMENTS = {
    *("composite", "replicate", "attach", "extension", "plugin", "flexcomp", "flex", "skin", "hfield", "model"),
}


@dataclass(frozen=True, eq=False)
class SimulatedRobot:
    """MuJoCo's model, and where our hinges, base and bodies are in it."""

    model: Any  # mujoco.MjModel
    robot: RobotModel
    base: int  # body
    base_position: int  # first of seven in qpos
    base_velocity: int  # first of six in qvel
    positions: np.ndarray  # (D,) of hinges in qpos
    velocities: np.ndarray  # (D,) of hinges in qvel
    torques: np.ndarray  # (D,) N m, largest; infinite where nothing says
    link_bodies: np.ndarray  # (L,) MuJoCo's bodies on which our links ride
    lags: np.ndarray  # (D,) s, damping over stiffness of the controllers
    bodies: np.ndarray  # (K,) MuJoCo's numbers of bodies that are tracked
    body_rows: np.ndarray  # (K,) their rows in robot.body_names
    mass: float  # kg
    inertia: float  # kg m^2, mean of the whole robot's about its base, at angles zero

    def write_state(
        self, data: Any, angles: np.ndarray, angle_speeds: np.ndarray, base: np.ndarray, turn: np.ndarray,
        speed: np.ndarray, spin: np.ndarray,
    ) -> None:  # fmt: skip
        """Put MuJoCo's state where a reference is; Z up, velocities in the world."""
        import mujoco

        mujoco.mj_resetData(self.model, data)
        at, v = self.base_position, self.base_velocity
        turn = turn / np.linalg.norm(turn)
        data.qpos[at : at + 3], data.qpos[at + 3 : at + 7], data.qpos[self.positions] = base, turn, angles
        data.qvel[v : v + 3], data.qvel[self.velocities] = speed, angle_speeds
        back = np.empty(4)
        mujoco.mju_negQuat(back, turn)
        local = np.empty(3)
        mujoco.mju_rotVecQuat(local, np.asarray(spin, np.float64), back)
        data.qvel[v + 3 : v + 6] = local  # MuJoCo has angular velocities of free joints in the body's axes


def open_in_mujoco(robot: RobotModel) -> SimulatedRobot:
    """The robot's file in MuJoCo; its own actuators give way to a PD controller at each hinge."""
    import_mujoco()
    import mujoco

    _check_elements(read_xml(Path(robot.path)))
    about = Path(robot.path).stat()
    _try_in_child(str(robot.path), about.st_mtime_ns, about.st_size)
    try:
        spec = mujoco.MjSpec.from_file(str(robot.path))
        spec.compiler.fusestatic = False
        for name in ("memory", "njmax", "nconmax", "nstack"):
            setattr(spec, name, -1)
        for one in [*spec.keys, *spec.sensors]:
            spec.delete(one)
        plain = spec.compile()
        joints = np.array([_find_joint(plain, name, robot.path) for name in robot.hinge_names])
        torques = find_joint_torques(plain, robot.hinge_names, joints)
        base = int(plain.body_rootid[plain.jnt_bodyid[joints[0]]])
        first = plain.body_jntadr[base]
        if first < 0 or plain.jnt_type[first] != mujoco.mjtJoint.mjJNT_FREE:
            spec.bodies[base].add_freejoint()
        if not (plain.geom_type == mujoco.mjtGeom.mjGEOM_PLANE).any():
            spec.worldbody.add_geom(name="kinematch_floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.01])
        for actuator in list(spec.actuators):
            spec.delete(actuator)
        _add_controllers(spec, plain, robot, joints, torques)
        spec.option.timestep = TIMESTEP_SECONDS
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise FileError(robot.path, f"MuJoCo does not open it: {str(error).splitlines()[0]}") from None
    return _describe(model, robot, torques)


def import_mujoco() -> None:
    """Raise an error that says what to install, without MuJoCo."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        raise KinematchError("robots are simulated by MuJoCo: pip install 'kinematch[gym]'") from None


@lru_cache(maxsize=64)
def _try_in_child(path: str, changed: int, size: int) -> None:
    """Compile the file in a process of its own, whose end would do no harm; errors are left to the real attempt."""
    command = "import sys, mujoco; mujoco.MjSpec.from_file(sys.argv[1]).compile()"
    try:
        with tempfile.TemporaryDirectory() as folder:  # MuJoCo writes its log where it runs
            ended = subprocess.run(
                [sys.executable, "-c", command, str(Path(path).absolute())], capture_output=True, cwd=folder,
                timeout=MAX_COMPILE_SECONDS,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise FileError(path, f"MuJoCo did not open it within {MAX_COMPILE_SECONDS} s") from None
    if ended.returncode not in (0, 1):
        raise FileError(path, f"MuJoCo crashes on it, with exit status {ended.returncode}")


def _check_elements(element: Element) -> None:
    if element.tag in REFUSED_ELEMENTS:
        raise element.error(f"<{element.tag}> is not simulated")
    for child in element.children:
        _check_elements(child)


def _find_joint(model: Any, name: str, path: str) -> int:
    import mujoco

    joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    if joint < 0:
        raise FileError(path, f"hinge {name!r} has no name in the file, so it is not found in MuJoCo")
    return joint


def _add_controllers(spec: Any, plain: Any, robot: RobotModel, joints: np.ndarray, torques: np.ndarray) -> None:
    """Position actuators: torque = stiffness (target - angle) - damping speed, within the hinge's torque."""
    import mujoco

    data = mujoco.MjData(plain)
    mujoco.mj_forward(plain, data)
    row = np.zeros(plain.nv)
    strong = np.where(np.isfinite(torques), torques, UNKNOWN_TORQUE * plain.body_mass.sum())
    for name, joint, most in zip(robot.hinge_names, joints, strong):
        stiffness = most / DEFLECTION
        column = plain.jnt_dofadr[joint]
        mujoco.mj_mulM(plain, data, row, np.eye(plain.nv)[column])
        damping = 2 * DAMPING_RATIO * np.sqrt(stiffness * row[column])
        actuator = spec.add_actuator(name=f"kinematch_{name}", target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_position(kp=stiffness, kv=damping)
        actuator.forcelimited, actuator.forcerange = True, [-most, most]


def _describe(model: Any, robot: RobotModel, torques: np.ndarray) -> SimulatedRobot:
    import mujoco

    joints = np.array([_find_joint(model, name, robot.path) for name in robot.hinge_names])
    base = int(model.body_rootid[model.jnt_bodyid[joints[0]]])
    free = model.body_jntadr[base]
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b) for b in range(model.nbody)]
    moved = sorted({base, *model.jnt_bodyid[joints].tolist()})
    tracked = [b for b in moved if names[b] in robot.body_names]
    if not tracked:
        raise FileError(robot.path, "none of its bodies has a name, so none can be tracked")
    return SimulatedRobot(
        model=model,
        robot=robot,
        base=base,
        base_position=int(model.jnt_qposadr[free]),
        base_velocity=int(model.jnt_dofadr[free]),
        positions=model.jnt_qposadr[joints],
        velocities=model.jnt_dofadr[joints],
        torques=torques,
        link_bodies=np.array([base, *model.jnt_bodyid[joints]]),
        lags=-model.actuator_biasprm[:, 2] / model.actuator_gainprm[:, 0],
        bodies=np.array(tracked),
        body_rows=np.array([robot.body_names.index(names[b]) for b in tracked]),
        mass=float(model.body_subtreemass[base]),
        inertia=_measure_inertia(model, int(model.jnt_dofadr[free])),
    )


def _measure_inertia(model: Any, first: int) -> float:
    """Mean of the diagonal of the mass matrix in the rotations of the base."""
    import mujoco

    data, row = mujoco.MjData(model), np.zeros(model.nv)
    mujoco.mj_forward(model, data)
    found = []
    for column in range(first + 3, first + 6):
        mujoco.mj_mulM(model, data, row, np.eye(model.nv)[column])
        found.append(row[column])
    return float(np.mean(found))
