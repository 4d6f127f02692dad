"""Humanoid models of public packages, found without importing them: the zoo that `zoo_table.py` measures."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

LOCOMOTION = "_src/locomotion"
BIPED = Path(__file__).parents[3] / "examples" / "biped.xml"  # of a checkout


@dataclass(frozen=True)
class Animal:
    """A model file of a package."""

    name: str
    package: str  # as it is imported; none for a file of the checkout
    path: str  # inside the package
    unseen: bool = False  # nothing is tuned on it

    def find(self) -> Path | None:
        """The file, without importing the package: some need a simulator on graphics cards."""
        if not self.package:
            return BIPED if BIPED.is_file() else None
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return None
        path = Path(next(iter(spec.submodule_search_locations))) / self.path
        return path if path.is_file() else None


def _playground(name: str, file: str, *, unseen: bool = False) -> Animal:
    return Animal(f"{name} (playground)", "mujoco_playground", f"{LOCOMOTION}/{file}_mjx_feetonly.xml", unseen)


ZOO = (
    Animal("G1 (mjlab)", "mjlab", "asset_zoo/robots/unitree_g1/xmls/g1.xml"),
    _playground("G1", "g1/xmls/g1"),
    Animal("G1 (holosoma, URDF)", "holosoma", "data/robots/g1/g1_29dof.urdf"),
    _playground("T1", "t1/xmls/t1"),
    Animal("T1 (holosoma)", "holosoma", "data/robots/t1/t1_29dof.xml"),
    _playground("OP3", "op3/xmls/op3"),
    _playground("Apollo", "apollo/xmls/apollo"),
    _playground("Berkeley", "berkeley_humanoid/xmls/berkeley_humanoid"),
    Animal("humanoid (dm_control)", "dm_control", "suite/humanoid.xml"),
    Animal("CMU humanoid (dm_control)", "dm_control", "suite/humanoid_CMU.xml"),
    _playground("H1", "h1/xmls/h1", unseen=True),
    Animal("humanoid (gymnasium)", "gymnasium", "envs/mujoco/assets/humanoid.xml", unseen=True),
    Animal("biped (ours)", "", ""),
)


def prepare_model(path: Path, folder: Path) -> tuple[Path, bool]:
    """A model that MuJoCo opens: the file, or a copy without meshes that are not there and with a floor."""
    root = ElementTree.parse(path).getroot()
    files = [str(element.get("file")) for element in root.iter("mesh") if element.get("file")]
    if root.tag != "mujoco" or not files or all(_has_file(path, root, file) for file in files):
        return path, False
    for parent in list(root.iter()):
        for child in list(parent):
            drawn = child.tag == "geom" and parent.tag != "default"
            if (drawn and "mesh" in (child.get("type"), *child.attrib)) or child.tag in ("mesh", "texture", "keyframe"):
                parent.remove(child)
            elif child.tag == "material":
                child.attrib.pop("texture", None)
    world = root.find("worldbody")
    if world is not None and not any(geom.get("name") == "floor" for geom in root.iter("geom")):
        ElementTree.SubElement(world, "geom", name="floor", type="plane", size="0 0 0.01")
    copy = folder / f"{path.stem}.xml"
    ElementTree.ElementTree(root).write(copy)
    return copy, True


def _has_file(path: Path, root: ElementTree.Element, file: str) -> bool:
    folders = [element.get("meshdir", "") for element in root.iter("compiler")] or [""]
    return any((path.parent / folder / file).is_file() for folder in folders)
