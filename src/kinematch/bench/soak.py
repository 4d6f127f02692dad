"""Soak: a server among rude clients, for minutes or hours: is an honest page served steadily, does memory grow?"""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
from rich.table import Table

from kinematch.bench.rude_clients import Server, be_rude
from kinematch.errors import FileError, KinematchError
from kinematch.writing import write_beside

RECORD_SECONDS = 60.0  # s between two records of the state
START_TIMEOUT = 300.0  # s for the server to start and compile on a new machine
Progress = Callable[[int, int, str], None]


@dataclass
class SoakReport:
    """What an honest page saw, over all runs of one state."""

    seconds: float = 0.0
    rates: list[float] = field(default_factory=list)  # poses in each second
    longest: float = 0.0  # s between two poses
    memory: list[float] = field(default_factory=list)  # MB of the server after each part
    acts: dict[str, int] = field(default_factory=dict)  # how often what rude thing was done
    findings: list[str] = field(default_factory=list)  # what the server should not have done


def soak(
    minutes: float, *, state: Path, clients: int = 20, progress: Progress = lambda done, total, text: None
) -> SoakReport:
    """Serve an honest page beside rude clients for a number of minutes in all, including those of earlier runs."""
    report = _open_report(state)
    context, total = get_context("spawn"), 60 * minutes
    if report.seconds >= total:
        return report
    ours, theirs = context.Pipe()
    server = context.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    try:
        theirs.close()  # so that a server that ends is noticed at once
        try:
            there = Server("127.0.0.1", *(ours.recv() if ours.poll(START_TIMEOUT) else ()))
        except (EOFError, TypeError):
            raise KinematchError("the server did not start") from None
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            while report.seconds < total:
                part = min(RECORD_SECONDS, total - report.seconds)
                progress(round(report.seconds), round(total), f"{sum(report.acts.values())} rude acts")
                rude = pool.submit(be_rude, there, clients, part, round(report.seconds))
                begun = monotonic()
                times = asyncio.run(_watch(there, part))
                if not server.is_alive():
                    raise KinematchError(f"the server ended with {server.exitcode}")
                acts, findings = rude.result()
                _note(report, times, acts, begun, part, _measure_memory(server.pid or 0))
                report.findings += findings
                write_beside(state, json.dumps(asdict(report)).encode())
    finally:
        server.kill()
        server.join()
    return report


def _open_report(state: Path) -> SoakReport:
    if not state.exists():
        return SoakReport()
    try:
        return SoakReport(**json.loads(state.read_text()))
    except (ValueError, TypeError) as error:
        raise FileError(state, f"no state of a soak: {error}") from None


def _note(
    report: SoakReport, times: list[float], acts: dict[str, int], begun: float, seconds: float, memory: float
) -> None:
    """Add a part of the run; silence at its start and end counts too."""
    ended = begun + seconds
    inside = [time for time in times if begun <= time <= ended]
    report.seconds += seconds
    report.longest = max(report.longest, float(np.diff([begun, *inside, ended]).max()))
    report.rates += np.histogram(inside, np.linspace(begun, ended, max(round(seconds), 1) + 1))[0].tolist()
    report.memory.append(memory)
    for name, count in acts.items():
        report.acts[name] = report.acts.get(name, 0) + count


def _serve(pipe: Any) -> None:
    """The server's process: the built-in motion, on a port of the system's choice, for clients with the key."""
    from kinematch.access.keys import AccessKey
    from kinematch.database.built_in import open_built_in
    from kinematch.studio.server.serving import listen, server
    from kinematch.studio.session.stage import Stage
    from kinematch.studio.session.studio import Studio

    with TemporaryDirectory() as folder:
        opened = listen("127.0.0.1", 0)
        studio, key = Studio(Stage(open_built_in(), name="soak"), presets=Path(folder)), AccessKey()
        pipe.send((opened.getsockname()[1], key.text))
        server(studio, key=key, log_level="critical").run(sockets=[opened])


async def _watch(there: Server, seconds: float) -> list[float]:
    """Times of poses as an honest page gets them, which also steers; it reconnects when it was cut off."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import WebSocketException

    times: list[float] = []
    until = monotonic() + seconds
    place = f"ws://{there.host}:{there.port}/stream?key={there.key}"
    while monotonic() < until:
        try:
            async with connect(place, max_size=None, compression=None, open_timeout=30) as page:
                while monotonic() < until:
                    message = await asyncio.wait_for(page.recv(), max(until - monotonic(), 0.1))
                    if isinstance(message, bytes):
                        times.append(monotonic())
                        if len(times) % 60 == 0:
                            stick = {"type": "stick", "sequence": len(times), "x": 0.3, "y": 1.0}
                            await page.send(json.dumps(stick))
        except (OSError, WebSocketException, TimeoutError):
            await asyncio.sleep(0.1)
    return times


def _measure_memory(process: int) -> float:
    """MB that a process has in memory; NaN where the system does not report it."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return float("nan")
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmRSS")), float("nan"))


def table(report: SoakReport) -> Table:
    shown = Table(title="an honest page beside rude clients", title_justify="left", box=None, pad_edge=False)
    columns = ("minutes", "rude acts", "poses a second, median", "1 % of seconds below", "longest gap, s", "memory, MB")
    for column in columns:
        shown.add_column(column, justify="right")
    rates = report.rates or [0.0]
    grown = f"{report.memory[0]:.0f} to {report.memory[-1]:.0f}, most {max(report.memory):.0f}" if report.memory else ""
    shown.add_row(
        f"{report.seconds / 60:.1f}", f"{sum(report.acts.values()):,}", f"{np.median(rates):.1f}",
        f"{np.percentile(rates, 1):.1f}", f"{report.longest:.2f}", grown,
    )  # fmt: skip
    return shown
