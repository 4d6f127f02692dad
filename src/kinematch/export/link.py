"""Libraries from an object file: a shared one by whatever linker there is, and a static one, which needs none."""

import importlib.util
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kinematch.errors import KinematchError
from kinematch.export.entries import ENTRIES
from kinematch.export.targets import PREFIX, TARGETS

ZIG = {
    "linux-x64": "x86_64-linux-gnu", "linux-arm64": "aarch64-linux-gnu", "windows-x64": "x86_64-windows-gnu",
    "macos-arm64": "aarch64-macos",
}  # fmt: skip
FILES = {"linux": "libkinematch.so", "windows": "kinematch.dll", "macos": "libkinematch.dylib"}
SYMBOLS = [*(PREFIX + name for name in ENTRIES), f"{PREFIX}error_text"]


def find_host() -> str:
    """The target that this machine is."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system(), platform.system())
    kind = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "")
    name = f"{system}-{kind}"
    if name not in TARGETS:
        raise KinematchError(f"no library can be made for {platform.system()} on {platform.machine()}")
    return name


def name_library(target: str) -> str:
    return FILES[target.split("-")[0]]


def link_shared(code: bytes, target: str) -> bytes:
    """A shared library of an object file."""
    command = find_linker(target)
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "step.o", Path(folder) / name_library(target)
        given.write_bytes(code)
        done = subprocess.run([*command, "-o", str(made), str(given)], capture_output=True, text=True)
        if done.returncode or not made.exists():
            raise KinematchError(f"{command[0]} did not link the library: {done.stderr.strip()[-1000:]}")
        return made.read_bytes()


def find_linker(target: str) -> list[str]:
    """A command that links a shared library: the system's for this machine, else zig, which knows all of them."""
    if target == find_host():
        for name in ("cc", "gcc", "clang"):
            if found := shutil.which(name):
                return [found, "-shared", "-Wl,-s"] if target.startswith("linux") else [found, "-shared"]
        if target.startswith("linux") and (found := shutil.which("ld.lld")):
            return [found, "-shared", "-s"]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc", "-target", ZIG[target], "-shared"]
    raise KinematchError(
        f"nothing here links a library for {target}: install gcc, clang or lld for this machine, or "
        "pip install 'kinematch[targets]' for all targets"
    )


def write_static(code: bytes, target: str) -> bytes:
    """A static library: an archive of one object with a table of its symbols."""
    before = "_" if target.startswith("macos") else ""
    names = b"".join(f"{before}{one}\0".encode() for one in SYMBOLS)
    table = len(SYMBOLS).to_bytes(4, "big") + b"{at}" * len(SYMBOLS) + names
    table += b"\0" * (len(table) % 2)
    at = 8 + 60 + len(table)
    table = table.replace(b"{at}", at.to_bytes(4, "big"))
    return b"!<arch>\n" + _member("/", table) + _member("step.o/", code)


def _member(name: str, content: bytes) -> bytes:
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'644':<8}{len(content):<10}`\n".encode()
    return head + content + b"\n" * (len(content) % 2)
