"""The VR panel's camera in a real browser, before a real video: it drives a body alone, and says what is wrong."""

import subprocess

import pytest

from kinematch.camera.landmarks import NAMES
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio

pytestmark = pytest.mark.slow

CAMERA = "kinematch.vr.camera"
PERSON = "crop=708:580:707:414,scale=440:360"  # who walks below a wall


@pytest.fixture(scope="module")
def filmed(launch, data, tmp_path_factory, need_extra):
    """A browser whose camera shows somebody who walks across a room, again and again."""
    need_extra("imageio_ffmpeg", "video")
    from imageio_ffmpeg import get_ffmpeg_exe

    film = tmp_path_factory.mktemp("film") / "walk.mjpeg"
    source = ["-ss", "2.4", "-t", "1.6", "-i", str(data / "video" / "sports2d-demo.mp4")]
    command = [get_ffmpeg_exe(), "-v", "error", *source, "-vf", PERSON, "-r", "10", "-q:v", "4", str(film)]
    subprocess.run(command, check=True)
    fake = "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"
    browser = launch(*fake, f"--use-file-for-fake-video-capture={film}")
    yield browser
    browser.close()


def test_a_camera_alone_drives_a_body_and_is_told_what_is_missing(
    filmed, screen_of, database, data, tmp_path, run_studio
):
    studio = Studio(Stage(database, name="small"), presets=tmp_path / "presets")
    with run_studio(studio) as server:
        page = screen_of(filmed, server, "vr", viewport={"width": 1280, "height": 900})
        page.until("!!kinematch.vr.room.now")
        loaded = "performance.getEntriesByType('resource').filter((one) => /webcam|pose|vision/.test(one.name)).length"
        assert page.ask(loaded) == 0  # nothing of it, until it is wanted
        switch = page.page.get_by_role("switch", name="Camera")
        switch.click()
        # the model is not there yet: its size and source are told, and nothing is fetched
        page.until("/pose model, once: 9.4 MB from https:.*, kept at /.test(document.body.textContent)")
        page.page.get_by_role("button", name="Fetch 9.4 MB").wait_for()
        page.page.get_by_role("button", name="Not now").click()
        studio.vr_session.pose_model = data / "blazepose" / "pose_lite.task"
        switch.click()
        page.until(f"{CAMERA}.on")
        page.until("!!kinematch.vr.avatars.pose(kinematch.vr.room.own?.user ?? -1)")
        page.until("kinematch.vr.camera.figure.shown")
        page.page.locator("canvas.camera-picture").scroll_into_view_if_needed()
        page.picture("vr-camera")
        seen = f"{CAMERA}.now?.alone && {CAMERA}.now.places.length === {3 * len(NAMES)}"
        heights = page.until(f"{seen} && {CAMERA}.now.places.filter((_, k) => k % 3 === 1)")
        assert min(heights) > -0.2
        assert 1.2 < max(heights) < 2.0  # somebody upright on the floor, of the height that is assumed
        sent = page.ask("performance.getEntriesByType('resource').map((one) => new URL(one.name).origin)")
        assert set(sent) == {server.url}  # all of it is the server's own
        page.ask(f"{CAMERA}.webcam.video.srcObject.getVideoTracks()[0].dispatchEvent(new Event('ended'))")
        page.until("document.body.textContent.includes('the camera was taken away')")
        assert not page.ask(f"{CAMERA}.on")
        assert page.ask("!!kinematch.vr.room.own")  # the body goes on with what it has
        page.forgive("INFO: Created TensorFlow Lite")  # which the estimator writes as an error
