"""A robot's reference as a stream: where its joints, base and bodies are and will be, under commands of listeners."""

import json
from time import perf_counter

import msgspec
import numpy as np

from kinematch import __version__
from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command, Controller, move
from kinematch.robot.model import TO_OURS
from kinematch.robot.reference.robot_reference import RobotReference
from kinematch.stream.descriptions import describe_robot
from kinematch.stream.layout import PROTOCOL, Array, Field, Layout, pack

MAX_SPEED = 10.0  # m/s of commands

REFERENCE = Layout(
    "ReferenceFrame",
    b"KMF1",
    "One robot now and at T times to come; Z up, X forward, metres, radians.",
    (
        Field("step", "u32", "counts up"),
        Field("time", "f64", "seconds of simulated time"),
        Field("times", "u32", "T"),
        Field("hinges", "u32", "D"),
        Field("bodies", "u32", "B"),
        Field("milliseconds", "f32", "that the step took"),
    ),
    (
        Array("seconds", "f32", ("times",), "from now; the first is 0"),
        Array("joint_positions", "f32", ("times", "hinges"), "in the model's order"),
        Array("joint_velocities", "f32", ("times", "hinges"), ""),
        Array("base_positions", "f32", ("times", 3), ""),
        Array("base_rotations", "f32", ("times", 4), "w first"),
        Array("base_velocities", "f32", ("times", 3), "in the world"),
        Array("base_angular_velocities", "f32", ("times", 3), "in the world"),
        Array("contacts", "u32", ("times", 2), "1 where the left and right foot is planted"),
        Array("body_positions", "f32", ("times", "bodies", 3), "in MuJoCo's order"),
        Array("body_rotations", "f32", ("times", "bodies", 4), "w first"),
    ),
)


class SteeredByListeners:
    """A controller that has the last velocity that a listener asked for; until then it stands."""

    def __init__(self) -> None:
        self.velocity = np.zeros(3)  # m/s in our axes

    def command(self, body: SimulatedBody, dt: float) -> Command:
        return move(self.velocity)


class StreamedReference:
    """A reference of one robot that plays commands step by step, as frames."""

    most_waiting = 5  # frames: who reads slowly gets those of the last tenth of a second

    def __init__(self, reference: RobotReference, *, name: str = ""):
        self.reference, self.name, self.step = reference, name, 0
        self.dt = reference.dt
        self.steering = SteeredByListeners()
        self.out = reference.make_result()
        beginning = reference.crowd.frames.copy()
        reference.step(move([0.0, 0.0, 0.0]), out=self.out)  # compiles what a step needs before anybody waits for one
        reference.reset(frames=beginning)

    def advance(self, controller: Controller) -> list[bytes]:
        """One step, packed."""
        began = perf_counter()
        self.step += 1
        shown = self.reference.step(controller.command(self.reference.crowd.body, self.dt), out=self.out)
        header = {
            "step": self.step, "time": self.step * self.dt, "times": len(shown.times),
            "hinges": shown.joint_positions.shape[2], "bodies": shown.body_positions.shape[2],
            "milliseconds": (perf_counter() - began) * 1000,
        }  # fmt: skip
        arrays = {name: values[0] for name, values in shown._asdict().items() if name != "times"}
        return [pack(REFERENCE, header, {"seconds": shown.times, **arrays})]

    def welcome(self) -> str:
        """Whose reference it is, and what the arrays of frames mean."""
        model = self.reference.model
        return json.dumps(
            {
                "type": "welcome",
                "protocol": PROTOCOL,
                "version": __version__,
                "database": self.name,
                "step_rate": self.reference.rate,
                "robot": msgspec.to_builtins(describe_robot(model, 1.0)),
                "bodies": list(model.body_names),
                "seconds": self.reference.times.tolist(),
            }
        )

    def hear(self, text: str) -> None:
        """Take over {"type": "command", "velocity": [x, y]}, in m/s in the robot's world."""
        try:
            told = json.loads(text)
            x, y = (float(value) for value in told["velocity"]) if told["type"] == "command" else (np.nan, np.nan)
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return
        if abs(x) <= MAX_SPEED and abs(y) <= MAX_SPEED:  # NaN is neither
            self.steering.velocity = np.array([x, y, 0.0])[TO_OURS]
