"""`kinematch pack`: a database in a tenth of its memory, or a fiftieth of its download, within an error bound."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.options import blaming, check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.database.packing.pack import PackResult
    from kinematch.database.storage import Database
    from kinematch.database.transport.encode import Transport

UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


def pack(
    database: Annotated[tyro.conf.Positional[Path], option("the database to pack")],
    /,
    output: Annotated[Path, option("packed file to write (.kinematch)", "-o")],
    error: Annotated[
        str | None,
        option("maximum error of a joint or chain end, such as 0.5mm; default: 0.01cm, with --transport 0.1cm"),
    ] = None,
    transport: Annotated[bool, option("for download: smallest file, full size in memory, opens in seconds")] = False,
) -> int:
    """Write DATABASE as a packed file that play, evaluate, bench and km.load open like any other."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.database import storage
    from kinematch.database.packing.pack import pack_database
    from kinematch.database.transport.encode import encode_database

    bound = read_length(error or ("0.1cm" if transport else "0.01cm"))
    check_output(output, storage.SUFFIX, reads=[database])
    with progress_bar("opening") as show:
        opened = storage.load(database, progress=show)
    if transport:
        with blaming(database), progress_bar("fitting clips") as show:
            sent = encode_database(opened.poses, opened.features, bound, progress=show)
        storage.save(output, opened, sent.arrays)
        _print_transport(Screen(), database, output, opened, sent)
        return 0
    with blaming(database), progress_bar("packing segments") as show:
        found = pack_database(opened, bound, progress=show)
    storage.save(output, found.database)
    _print_result(Screen(), database, output, opened, found)
    return 0


def read_length(text: str) -> float:
    """Metres of a length such as 0.01cm, 0.5 mm or 0.001m."""
    for unit, metres in UNITS.items():
        if text.endswith(unit):
            try:
                return float(text.removesuffix(unit)) * metres
            except ValueError:
                break
    raise KinematchError(f"{text!r} is no length; expected a number and a unit, such as 0.01cm or 0.5mm")


def _print_transport(screen: "Screen", source: Path, output: Path, opened: "Database", sent: "Transport") -> None:
    from time import perf_counter

    from kinematch.database import storage
    from kinematch.search.compare import measure_difference

    before, after, frames = source.stat().st_size, output.stat().st_size, opened.poses.frame_count
    screen.say(
        f"file: {before / 1e6:.2f} MB, for transport {after / 1e6:.2f} MB, 1/{before / after:.1f}; "
        f"{after / frames:.1f} bytes a frame"
    )
    screen.say(
        f"error at joints and ends of chains over all {frames} frames: mean {100 * sent.errors.mean():.4f} cm, "
        f"most {100 * sent.errors.max():.4f} cm; the root: most {100 * sent.root_error:.4f} cm"
    )
    if sent.mirrored:
        screen.say(f"{sent.mirrored} of {opened.poses.clip_count} clips are mirror images and stored as a flag each")
    began = perf_counter()
    again = storage.load(output)
    taken = perf_counter() - began
    share = measure_difference(opened, again)
    screen.say(f"opened in {taken:.1f} s; {share:.2%} of 5000 searches find another frame than before")
    screen.say(f"written: {output}")


def _print_result(screen: "Screen", source: Path, output: Path, opened: "Database", found: "PackResult") -> None:
    from rich.table import Table

    from kinematch.evaluate.comparison.footprint import measure_footprint
    from kinematch.search.compare import measure_difference

    before, after = measure_footprint(opened), measure_footprint(found.database)
    rows = {
        "file": (source.stat().st_size, output.stat().st_size),
        "resident: poses, features and what plays them": (before.resident, after.resident),
        "search index, beside it": (before.search, after.search),
    }
    table = Table("", "unpacked", "packed", "ratio", box=None, pad_edge=False)
    for name, (one, other) in rows.items():
        table.add_row(
            name,
            f"{one / 1e6:.2f} MB",
            f"{other / 1e6:.2f} MB",
            f"1/{one / other:.1f}" if other < one else f"{other / one:.1f}",
        )
    frames = opened.poses.frame_count
    screen.print(table)
    screen.say(
        f"{after.resident / frames:.1f} bytes a frame; error at joints and ends of chains over all {frames} frames: "
        f"mean {100 * found.errors.mean():.4f} cm, most {100 * found.errors.max():.4f} cm"
    )
    if found.mirrored:
        screen.say(f"{found.mirrored} of {opened.poses.clip_count} clips are mirror images and stored as a flag each")
    if found.raw:
        screen.say(f"{found.raw} segments hold plain numbers: they could not be packed within the bound")
    share = measure_difference(opened, found.database)
    screen.say(f"{share:.2%} of 5000 searches find another frame than in the unpacked database")
    screen.say(f"written: {output}")
