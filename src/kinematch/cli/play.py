"""`kinematch play`: a character in the browser that answers the stick, and the tools to see and change how it moves."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.build import STAGES as BUILDING
from kinematch.cli.options import option
from kinematch.errors import KinematchError
from kinematch.folders import find_settings_folder

if TYPE_CHECKING:
    from kinematch.camera.feed import CameraFeed
    from kinematch.studio.session.stage import Stage
    from kinematch.studio.session.studio import Studio

PORT = 8123
STAGES = BUILDING | {"compile": "compiling, first start only", "open": "opening", "retarget": "retargeting"}


def play(
    paths: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        option(
            "a database, learned model, recipe, recording, or folder of motion files; default: the built-in motion. "
            "Further databases and models play beside the first, with the same commands"
        ),
    ] = (),
    /,
    port: Annotated[int, option("port of the page; if it is in use, the next free one")] = PORT,
    host: Annotated[
        str,
        option(
            "address to listen on; the default admits only this machine, others need the key in the printed address"
        ),
    ] = "127.0.0.1",
    share_project: Annotated[
        bool, option("let other machines use the project too: its files, recipe and builds")
    ] = False,
    https: Annotated[bool, option("serve HTTPS with a self-signed certificate; headsets require it")] = False,
    vr: Annotated[bool, option("open the VR panel: a body from a headset, or from a simulated user")] = False,
    vmc: Annotated[
        str | None, option("with --vr: send the first user's body to HOST:PORT as VMC, such as 127.0.0.1:39539")
    ] = None,
    vmc_in: Annotated[
        str | None, option("with --vr: receive a user's trackers or body as VMC on this PORT, such as 39540")
    ] = None,
    vrchat: Annotated[bool, option("with --vr: send the first user's hips and legs to VRChat on this machine")] = False,
    camera: Annotated[
        str | None,
        option(
            "with --vr: a webcam's number, a video, or recorded landmarks; corrects the first user, "
            "or drives a body alone"
        ),
    ] = None,
    model: Annotated[
        str | None, option("pose model of cameras: full, lite, or a .task file; default: the one from `camera setup`")
    ] = None,
    robot: Annotated[Path | None, option("retarget the motion live to this robot (MJCF or URDF)")] = None,
    no_open: Annotated[bool, option("do not open a browser")] = False,
) -> int:
    """Steer a character in the browser, see why it moves that way, tune it, and build your own."""
    if not 0 <= port < 65536:
        raise KinematchError(f"port {port}, expected 0 to 65535")
    if not vr and (vmc is not None or vmc_in is not None or vrchat or camera is not None):
        raise KinematchError("--vmc, --vmc-in, --vrchat and --camera are about users of VR; add --vr")
    import webbrowser

    from kinematch.access.addresses import describe_access, draw_code, list_places
    from kinematch.access.certificate import open_certificate
    from kinematch.access.guard import is_loopback
    from kinematch.access.keys import AccessKey
    from kinematch.cli.screen import Screen
    from kinematch.stream.osc import parse_address
    from kinematch.stream.vmc_in import PORT as VMC_IN
    from kinematch.studio.server.serving import address, listen, serve
    from kinematch.studio.session.studio import Studio

    for one in (vmc, vmc_in):
        if one is not None:
            parse_address(one, VMC_IN)  # said before anything is built
    pose_model, feed = _find_camera(camera, model)
    screen = Screen()
    opened = listen(host, port)
    if opened.getsockname()[1] != port != 0:
        screen.say(f"port {port} is taken; this is on {opened.getsockname()[1]}")
    path, beside = (paths[0] if paths else None), paths[1:]
    stage = _stage(path, beside)
    if robot is not None:
        _wear_robot(stage, robot)
    poses = stage.database.poses
    screen.say(f"{stage.name}: {poses.clip_count} clips, {poses.minutes:.1f} minutes")
    for note in filter(None, (source.note for source in stage.compared.values())):
        screen.say(note)
    studio = Studio(stage, path=path, presets=find_settings_folder() / "presets")
    studio.permissions.shares_project = share_project
    for line in _connect(studio, vmc, vmc_in, vrchat):
        screen.say(line)
    if pose_model is not None:
        studio.vr_session.pose_model = pose_model
    if camera is not None:
        studio.vr_session.feed = feed
        name = f"{'camera ' if camera.isdigit() else ''}{camera}"
        screen.say(f"{name} corrects the first user, or drives a body alone")
    certificate = open_certificate(host, find_settings_folder() / "https") if https else None
    place = address(host, opened, secure=https) + ("/#vr" if vr else "")
    key = AccessKey(is_required=not is_loopback(host))
    screen.say("play at ", (key.add_to(place) if key.is_required else place, "bold"), "; Ctrl-C ends")
    port = opened.getsockname()[1]
    for line in describe_access(host, port, certificate, key=key, vr=vr, shares_project=share_project):
        screen.say(line)
    if screen.is_terminal and key.is_required:
        for one in list_places(host, port, https)[:1]:
            screen.say("\n".join(draw_code(key.add_to(one + ("#vr" if vr else "")))))
    if vr:  # while the page opens
        threading.Thread(target=_compile_bodies, args=[stage], daemon=True).start()
    if not no_open:
        # the socket listens already, so a browser that is quicker than the server waits
        threading.Thread(target=webbrowser.open, args=[key.add_to(place)], daemon=True).start()
    serve(studio, opened, host=host, key=key, certificate=certificate)
    return 0


def _compile_bodies(stage: "Stage") -> None:
    """On a new machine the first body takes a minute to compile."""
    from kinematch.avatar.calibration import Calibration
    from kinematch.studio.vr.body import make_outfit

    with suppress(KinematchError):  # the page shows a user why this motion fits no body
        make_outfit(stage.model or stage.database, stage.name, calibration=Calibration())


def _wear_robot(stage: "Stage", robot: Path) -> None:
    from kinematch.cli.screen import progress_bar
    from kinematch.studio.session.robots import read_worn_robot

    with progress_bar("fitting the robot") as show:
        show(0, None)
        stage.wear(read_worn_robot(robot))


def _connect(studio: "Studio", vmc: str | None, vmc_in: str | None, vrchat: bool) -> list[str]:
    """Other programs that get a body or send trackers, in a sentence each."""
    from kinematch.stream.broadcast import Broadcast
    from kinematch.stream.osc import is_loopback, parse_address
    from kinematch.stream.vmc_in import PORT as VMC_IN
    from kinematch.stream.vmc_in import VmcReceiver

    told = []
    if vmc is not None or vrchat:
        broadcast = Broadcast(vmc_address=vmc, vrchat_address="" if vrchat else None)
        studio.vr_session.room.broadcast = broadcast
        told += broadcast.describe()
    if vmc_in is not None:
        host, port = parse_address(vmc_in, VMC_IN)
        studio.vr_session.receiver = VmcReceiver(port, host)
        who = "programs on this machine" if is_loopback(host) else "anybody who can reach this machine"
        told.append(f"listening for VMC on {host}:{port}, from {who}; VMC knows no key")
    return told


def _find_camera(camera: str | None, model: str | None) -> tuple[Path | None, "CameraFeed | None"]:
    """The model that cameras of pages use, and the server's own camera; errors come before anything is built."""
    from kinematch.camera.feed import CameraFeed
    from kinematch.camera.model_file import find_model

    found = None if model is None else find_model(model)
    return found, None if camera is None else CameraFeed(camera, model=model or "")


def _stage(path: Path | None, beside: tuple[Path, ...] = ()) -> "Stage":
    from kinematch.cli.init import init
    from kinematch.cli.screen import progress_bar
    from kinematch.studio.session.opening import built_in, open_path

    with progress_bar("opening") as show:

        def progress(stage: str, done: int, total: int) -> None:
            show(done, total, STAGES[stage])

        if path is None:
            return built_in(progress)
        if not path.is_dir():
            return open_path(path, progress, beside)
    recipes = sorted(path.glob("*.toml"))
    recipe = recipes[0] if len(recipes) == 1 else path / "recipe.toml"
    if not recipe.exists():
        init(path)
    with progress_bar("building") as show:
        return open_path(recipe, lambda stage, done, total: show(done, total, STAGES[stage]), beside)
