"""Default classes of MJCF: what an element gets from its class and from the classes around it."""

from dataclasses import dataclass, field

import numpy as np

from kinematch.robot.xml_reading import Element, parse_numbers


class Filled(Element):
    """An element with the attributes of its class filled in."""

    def padded(self, name: str, most: int) -> np.ndarray:
        """The numbers of an attribute, at most `count`; none where it is not given."""
        return parse_numbers(self, name)[:most] if name in self.attributes else np.zeros(0)


ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(eq=False)
class Defaults:
    """Class name -> tag -> attributes, parents' classes included."""

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})

    def fill(self, element: Element, inherited: str) -> Filled:
        """A copy with what its own class, or else the class of the body around, gives."""
        name = element.attributes.get("class", inherited)
        if name not in self.classes:
            from kinematch.errors import unknown

            raise element.error(unknown("default class", name, self.classes))
        given = self.classes[name].get(element.tag, {})
        if any(kind in element.attributes for kind in ORIENTATIONS):  # its own orientation is the only one
            given = {key: value for key, value in given.items() if key not in ORIENTATIONS}
        return Filled(element.tag, {**given, **element.attributes}, element.path, element.line)


def read_defaults(root: Element) -> Defaults:
    """All classes of a file."""
    defaults = Defaults()
    for element in root.all("default"):
        _read_class(defaults, element, element.attributes.get("class", "main"), {})
    return defaults


def _read_class(defaults: Defaults, element: Element, name: str, above: dict[str, dict[str, str]]) -> None:
    own = {tag: dict(values) for tag, values in (above or defaults.classes.get(name, {})).items()}
    for child in element.children:
        if child.tag != "default":
            own[child.tag] = own.get(child.tag, {}) | child.attributes
    defaults.classes[name] = own
    for child in element.all("default"):
        _read_class(defaults, child, child.text("class"), own)
