"""The compiler settings of MJCF, and the five ways in which it writes an orientation."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.robot.xml_reading import Element


@dataclass(frozen=True)
class Compiler:
    """How angles and mesh paths of a file are meant."""

    angle: float = np.pi / 180  # radians per unit; MuJoCo's default is degrees
    euler: str = "xyz"  # capital letters are fixed axes
    mesh_folder: str = ""

    def place(self, element: Element) -> tuple[np.ndarray, np.ndarray]:
        """Position (3,) and rotation (4,) of a body, frame or shape in its parent's space."""
        return element.numbers("pos", 3, (0, 0, 0)), self.turn(element)

    def turn(self, element: Element) -> np.ndarray:
        """The rotation, however it is written; none is the identity."""
        given = element.attributes
        if "quat" in given:
            return quaternion.normalize(element.numbers("quat", 4))
        if "axisangle" in given:
            values = element.numbers("axisangle", 4)
            return rotation.from_axis_angle(values[:3], values[3] * self.angle)
        if "euler" in given:
            return self._from_euler(element.numbers("euler", 3) * self.angle)
        if "xyaxes" in given:
            values = element.numbers("xyaxes", 6)
            x = quaternion.unit(values[:3])
            y = quaternion.unit(values[3:] - x * (x @ values[3:]))
            if not (x.any() and y.any()):
                raise element.error("xyaxes are not two directions")
            return rotation.from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))
        if "zaxis" in given:
            return quaternion.between(np.array([0.0, 0.0, 1.0]), element.numbers("zaxis", 3))
        return quaternion.IDENTITY.copy()

    def _from_euler(self, angles: np.ndarray) -> np.ndarray:
        """Small letters turn along with the body, capital ones stay; each letter as it stands."""
        q = quaternion.IDENTITY
        for letter, angle in zip(self.euler, angles):
            turn = rotation.from_axis_angle(np.eye(3)["xyz".index(letter.lower())], angle)
            q = quaternion.multiply(q, turn) if letter.islower() else quaternion.multiply(turn, q)
        return q


def read_compiler(root: Element) -> Compiler:
    """The settings of all <compiler> elements, later ones first in rank."""
    given: dict[str, str] = {}
    for element in root.all("compiler"):
        given |= element.attributes
        if given.get("angle", "degree") not in ("degree", "radian"):
            raise element.error(f"angle is {given['angle']!r}, expected degree or radian")
        if given.get("coordinate", "local") != "local":
            raise element.error("coordinate is 'global', which MuJoCo itself no longer reads; save it as local")
        letters = given.get("eulerseq", "xyz")
        if len(letters) != 3 or set(letters.lower()) - set("xyz"):
            raise element.error(f"eulerseq is {letters!r}, expected three letters of x, y, z")
    return Compiler(
        angle=1.0 if given.get("angle") == "radian" else np.pi / 180,
        euler=given.get("eulerseq", "xyz"),
        mesh_folder=given.get("meshdir", given.get("assetdir", "")),
    )
