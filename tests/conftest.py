"""Fixtures that every test folder shares: the real data, and a humanoid in T-pose with joint axes of any kind."""

import fcntl
import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from kinematch.code_folder import find_code_folder
from kinematch.database.build import BuildResult, build
from kinematch.database.storage import Database
from kinematch.export.ahead import make_code
from kinematch.export.link import find_host, link_shared, name_library
from kinematch.math import quaternion
from kinematch.motion.skeleton import Skeleton, skeleton

FOLDER = Path(__file__).parent
QUICK = {FOLDER / line for line in (FOLDER / "quick.txt").read_text(encoding="utf-8").split()}
LONGEST = ("test_browser", "test_examples", "test_packaging", "tests/search/", "tests/robot/")  # in names of tests
MIDDLE = [
    ("Hips", "", "hips", (0.0, 0.95, 0.0)),
    ("Spine", "Hips", "spine", (0.0, 0.1, 0.0)),
    ("Chest", "Spine", "chest", (0.0, 0.2, 0.0)),
    ("Neck", "Chest", "neck", (0.0, 0.25, 0.0)),
    ("Head", "Neck", "head", (0.0, 0.1, 0.02)),
]
SIDE = [
    ("UpLeg", "Hips", "upper_leg", (0.1, -0.05, 0.0)),
    ("Leg", "UpLeg", "lower_leg", (0.0, -0.42, 0.01)),
    ("Foot", "Leg", "foot", (0.0, -0.41, -0.01)),
    ("Toe", "Foot", "toes", (0.0, -0.06, 0.14)),
    ("Shoulder", "Chest", "shoulder", (0.04, 0.18, 0.0)),
    ("Arm", "Shoulder", "upper_arm", (0.13, 0.0, 0.0)),
    ("ForeArm", "Arm", "lower_arm", (0.28, 0.0, 0.0)),
    ("Hand", "ForeArm", "hand", (0.25, 0.0, 0.0)),
]


# a busy machine fails no test
settings.register_profile("kinematch", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kinematch")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m quick` no other file is imported."""
    is_other = collection_path.name.startswith("test_") and collection_path.is_file() and collection_path not in QUICK
    return True if is_other and config.option.markexpr == "quick" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browsers first, then what takes longest, so that both processes end together."""
    items.sort(key=lambda item: next((n for n, name in enumerate(LONGEST) if name in item.nodeid), len(LONGEST)))
    for item in items:
        if item.path in QUICK and item.get_closest_marker("slow") is None:
            item.add_marker("quick")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file stay in one process, as do all those of robots, which compile the same kernels, and all those of
    browsers: two that draw without a graphics card get in each other's way."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next(
                (name for name in ("test_browser", "tests/robot/") if name in nodeid), super()._split_scope(nodeid)
            )

    return Together(config, log)


@pytest.fixture(scope="session")
def humanoid() -> Callable[..., Skeleton]:
    """humanoid(seed): joint axes along the world's without a seed, else turned at random."""

    def make(seed: int | None = None) -> Skeleton:
        joints = list(MIDDLE)
        own = {part for part, _, _, _ in SIDE}
        for side, sign in (("Left", 1), ("Right", -1)):
            for part, parent, role, (x, y, z) in SIDE:
                above = f"{side}{parent}" if parent in own else parent
                joints.append((f"{side}{part}", above, f"{side.lower()}_{role}", (sign * x, y, z)))
        names = [joint[0] for joint in joints]
        parents = np.array([names.index(joint[1]) if joint[1] else -1 for joint in joints])
        offsets = np.array([joint[3] for joint in joints])
        axes = quaternion.identity((len(names),))
        if seed is not None:
            axes = quaternion.normalize(np.random.default_rng(seed).normal(size=axes.shape))
        above = np.where(parents[:, None] < 0, quaternion.IDENTITY, axes[parents])
        local = quaternion.multiply(quaternion.inverse(above), axes)
        body = skeleton(
            names,
            parents,
            quaternion.rotate(quaternion.inverse(above), offsets),
            rotations=local,
            roles={joint[2]: k for k, joint in enumerate(joints)},
        )
        return body.with_tpose(local)

    return make


@pytest.fixture(scope="session")
def built_of(tmp_path_factory) -> Callable[..., BuildResult]:
    """built_of(*clips): a small database of some built-in clips, with their mirror images where asked for."""

    def make(*clips: str, mirror: bool = False) -> BuildResult:
        recipe = tmp_path_factory.mktemp("card") / "small.toml"
        listed = ", ".join(f'"{clip}"' for clip in clips)
        images = 'tags = ["left"]\n\n[cleaning]\nmirror = true\n' if mirror else ""
        recipe.write_text(f'[[source]]\nbuiltin = "locomotion"\nclips = [{listed}]\n{images}')
        return build(recipe)

    return make


@pytest.fixture(scope="session")
def acts(tmp_path_factory) -> Database:
    """A database of a few built-in clips and all built-in actions."""
    recipe = tmp_path_factory.mktemp("acts") / "acts.toml"
    recipe.write_text(
        '[[source]]\nbuiltin = "locomotion"\nclips = ["idle", "walk_1.35", "run_2.6", "run_3.6"]\n\n'
        '[[source]]\nbuiltin = "actions"\nground = "stances"\n\n[matching]\nfilter = "!action"\n'
    )
    return build(recipe).database


@pytest.fixture(scope="session")
def need_extra() -> Callable[[str, str], None]:
    """need_extra(package, extra): skips without the package; in CI, where it is installed, that is a failure."""

    def need(package: str, extra: str) -> None:
        if find_spec(package) is None:
            reason = f"{package} is not installed: pip install '.[{extra}]'"
            if os.environ.get("KINEMATCH_REQUIRE_EXTRAS"):
                pytest.fail(reason)
            pytest.skip(reason)

    return need


@pytest.fixture(scope="session")
def need_program() -> Callable[[str], str]:
    """need_program(name): its path; skips where it is not installed; in CI, where it is, that is a failure."""

    def need(name: str) -> str:
        found = shutil.which(name)
        if found is None:
            reason = f"{name} is not installed"
            if os.environ.get("KINEMATCH_REQUIRE_EXTRAS"):
                pytest.fail(reason)
            pytest.skip(reason)
        return found

    return need


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real mocap that KINEMATCH_DATA names; in CI a missing folder is a failure, elsewhere a skip."""
    folder = os.environ.get("KINEMATCH_DATA")
    if folder and Path(folder).is_dir():
        return Path(folder)
    reason = f"real data not found: set KINEMATCH_DATA to its folder (now {folder!r})"
    if os.environ.get("KINEMATCH_REQUIRE_DATA"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def compiled() -> Callable[[str], bytes]:
    """compiled(target): the step; processes side by side compile it once."""

    def make(target: str) -> bytes:
        folder = find_code_folder()
        assert folder is not None
        with open(folder / ".tests-of-export.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return make_code(target)

    return make


@pytest.fixture(scope="session")
def library(compiled, tmp_path_factory) -> Path:
    """The shared library for this machine."""
    path = tmp_path_factory.mktemp("library") / name_library(find_host())
    path.write_bytes(link_shared(compiled(find_host()), find_host()))
    return path
