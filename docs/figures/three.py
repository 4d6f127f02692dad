"""Draws a GLB, or a VRMA on a VRM, in three.js: moments of its animation in a row, in a browser without a screen.

python docs/figures/three.py FILE... -o PICTURE.png [--vrm CHARACTER.vrm]

It needs Chromium, Playwright, `npm ci` in client/, and for VRMA `npm install --no-save @pixiv/three-vrm-animation`
there; CLIENT names another folder.
"""

import argparse
import os
import shutil
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Route, sync_playwright

CLIENT = Path(os.environ.get("CLIENT", Path(__file__).parents[2] / "client"))
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
SIZE = (220, 300)  # of one moment
SITE = "http://figure.test"
PAGE = """<!doctype html><body style="margin: 0"><script type="importmap">{"imports": {
  "three": "/node_modules/three/build/three.module.js",
  "three/addons/": "/node_modules/three/examples/jsm/",
  "@pixiv/three-vrm": "/node_modules/@pixiv/three-vrm/lib/three-vrm.module.js",
  "@pixiv/three-vrm-animation": "/node_modules/@pixiv/three-vrm-animation/lib/three-vrm-animation.module.js"
}}</script><script type="module">
import * as three from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
const renderer = new three.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);
const scene = new three.Scene();
scene.background = new three.Color(0xe8ebef);
scene.add(new three.HemisphereLight(0xffffff, 0x667788, 2.5));
const sun = new three.DirectionalLight(0xffffff, 2);
sun.position.set(2, 4, 3);
scene.add(sun);
const loader = new GLTFLoader();
const load = (url) => new Promise((done, failed) => loader.load(url, done, undefined, failed));
window.open_files = async (motion, character) => {
  let gltf, clip, update = () => {};
  if (character) {
    const { VRMLoaderPlugin } = await import("@pixiv/three-vrm");
    const { VRMAnimationLoaderPlugin, createVRMAnimationClip } = await import("@pixiv/three-vrm-animation");
    loader.register((parser) => new VRMLoaderPlugin(parser));
    loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
    gltf = await load(character);
    const vrm = gltf.userData.vrm;
    clip = createVRMAnimationClip((await load(motion)).userData.vrmAnimations[0], vrm);
    update = () => vrm.update(0);
  } else {
    gltf = await load(motion);
    clip = gltf.animations[0];
  }
  scene.add(gltf.scene);
  const mixer = new three.AnimationMixer(gltf.scene);
  if (clip) mixer.clipAction(clip).play();
  gltf.scene.updateMatrixWorld(true);
  const box = new three.Box3().setFromObject(gltf.scene, true);
  const height = box.max.y - box.min.y;
  const board = document.createElement("canvas");
  board.width = board.height = 2;
  const brush = board.getContext("2d");
  for (let i = 0; i < 4; i++) {
    brush.fillStyle = (i + (i >> 1)) % 2 ? "#c3cbd4" : "#d8dee5";
    brush.fillRect(i % 2, i >> 1, 1, 1);
  }
  const squares = new three.CanvasTexture(board);
  squares.magFilter = three.NearestFilter;
  squares.colorSpace = three.SRGBColorSpace;
  squares.wrapS = squares.wrapT = three.RepeatWrapping;
  squares.repeat.set(60, 60);
  const floor = new three.Mesh(new three.PlaneGeometry(60 * height, 60 * height),
    new three.MeshBasicMaterial({ map: squares }));
  floor.rotation.x = -Math.PI / 2;
  scene.add(floor);
  const moving = [...new Set((clip?.tracks ?? []).map((track) => track.name.slice(0, track.name.lastIndexOf("."))))]
    .map((name) => gltf.scene.getObjectByName(name)).filter((node) => node);
  const camera = new three.PerspectiveCamera(24, innerWidth / innerHeight, 0.01 * height, 100 * height);
  window.draw = (part) => {
    if (clip) mixer.setTime(part * clip.duration * 0.9999);
    update();
    gltf.scene.updateMatrixWorld(true);
    const at = new three.Vector3();
    for (const node of moving) at.addScaledVector(node.getWorldPosition(new three.Vector3()), 1 / moving.length);
    camera.position.set(at.x + 1.9 * height, 0.75 * height, at.z + 2.3 * height);
    camera.lookAt(at.x, 0.46 * height, at.z);
    renderer.render(scene, camera);
  };
  return clip ? clip.duration : 0;
};
</script>"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("-o", dest="target", type=Path, required=True)
    parser.add_argument("--vrm", type=Path, help="the character on which VRMA files are played")
    parser.add_argument("--count", type=int, default=8)
    options = parser.parse_args()
    width, height = SIZE
    sheet = Image.new("RGB", (width * options.count, height * len(options.files)))
    for row, file in enumerate(options.files):
        for column, picture in enumerate(
            draw_moments(file, options.vrm if file.suffix == ".vrma" else None, options.count)
        ):
            sheet.paste(picture, (column * width, row * height))
    sheet.quantize(200).save(options.target, optimize=True)


def draw_moments(file: Path, character: Path | None, count: int) -> list[Image.Image]:
    """Pictures of moments that are evenly apart."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path == "/":
            route.fulfill(body=PAGE, content_type="text/html")
        elif path.startswith("/node_modules/"):
            route.fulfill(path=CLIENT / path[1:], content_type="text/javascript")
        else:
            route.fulfill(path=character if path == "/character" else file, content_type="model/gltf-binary")

    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=browser_path, args=FLAGS)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        page.on("pageerror", lambda error: print(error))
        page.route(f"{SITE}/**", answer)
        page.goto(f"{SITE}/")
        page.wait_for_function("Boolean(window.open_files)")
        page.evaluate("([motion, character]) => open_files(motion, character)", [
            "/motion", "/character" if character else None
        ])  # fmt: skip
        pictures = []
        for moment in range(count):
            page.evaluate("part => draw(part)", moment / max(count - 1, 1))
            pictures.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
        browser.close()
    return pictures


if __name__ == "__main__":
    main()
