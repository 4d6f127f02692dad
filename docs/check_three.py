"""Compares joints in three.js with ours: GLB files that we write, loaded by its GLTFLoader and played by its mixer.

Run by hand, after `npm ci` in client/: python docs/check_three.py FILES...
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from kinematch.files import read_clips
from kinematch.files.engines import prepare_clip, write_for_engine
from kinematch.motion.kinematics import global_pose

CLIENT = Path(__file__).parents[1] / "client"
FRAMES = 120  # of each clip
PAGE = """
import { readFileSync } from "node:fs";
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
const { path, names, count, rate } = JSON.parse(process.argv[1]);
globalThis.self = globalThis;
const content = readFileSync(path);
const buffer = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
new GLTFLoader().parse(buffer, "", ({ scene, animations }) => {
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  const frames = [];
  for (let frame = 0; frame < count; frame++) {
    mixer.setTime(Math.min(frame / rate, animations[0].duration - 1e-7));  // at its end it would begin again
    scene.updateMatrixWorld(true);
    frames.push(names.map((name) => scene.getObjectByName(name).getWorldPosition(new Vector3()).toArray()));
  }
  console.log(JSON.stringify(frames));
}, (error) => { throw error; });
"""


def main(paths: list[str]) -> None:
    for source in paths:
        clip = read_clips(source)[0]
        clip = prepare_clip(clip.frames(0, min(FRAMES, clip.frame_count)), "three")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "clip.glb"
            write_for_engine(path, clip, "three")
            names = list(clip.skeleton.names)
            asked = {"path": str(path), "names": names, "count": clip.frame_count, "rate": clip.frame_rate}
            command = ["node", "--input-type=module", "-e", PAGE, json.dumps(asked)]
            done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, check=True)
        apart = np.linalg.norm(np.array(json.loads(done.stdout)) - global_pose(clip)[0], axis=-1)
        joints = clip.skeleton.joint_count
        print(f"{Path(source).name}: {clip.frame_count} frames, {joints} joints: .glb {1000 * apart.max():.3f} mm")


if __name__ == "__main__":
    main(sys.argv[1:])
