"""A brief state: a character of another machine goes on as the one that it was taken of."""

import json
import subprocess

SCRIPT = """
import { readFileSync } from "node:fs";
import { Kinematch } from "./kinematch.js";
const [data, given] = process.argv.slice(2);
const own = await Kinematch.load({ wasm: readFileSync("step.wasm"), data: readFileSync(data) });
const other = own.spawn(), found = { bytes: own.saveBrief().length, whole: own.stateSize, apart: [] };
let step = 0;
const stick = JSON.parse(readFileSync(given)), move = (one, k) => {
  one.command({ velocity: stick[k], facing: stick[k] });
  one.step(1 / 60);
};
while (step + 47 < stick.length) {
  for (let k = 0; k < 17; k++) move(own, step++);
  other.restoreBrief(own.saveBrief());
  const kept = own.save();
  for (let k = step; k < step + 30; k++) for (const one of [own, other]) move(one, k);
  const [a, b] = [own, other].map((one) => one.pose.globalPositions);
  const apart = Array.from({ length: a.length / 3 }, (_, j) =>
    Math.hypot(...[0, 1, 2].map((k) => a[3 * j + k] - b[3 * j + k])),
  );
  found.apart.push(Math.max(...apart));
  own.restore(kept);
}
console.log(JSON.stringify(found));
"""


def test_a_brief_state_has_settled_after_half_a_second(page, walker_data, stick, tmp_path):
    (tmp_path / "data").write_bytes(walker_data)
    (tmp_path / "given").write_text(json.dumps([*stick.tolist(), *stick[::-1].tolist()]))
    (page / "brief.js").write_text(SCRIPT)
    given = [str(tmp_path / name) for name in ("data", "given")]
    done = subprocess.run(["node", "brief.js", *given], cwd=page, check=True, capture_output=True, timeout=120)
    found = json.loads(done.stdout)
    assert found["bytes"] < found["whole"] / 4
    apart = sorted(found["apart"])  # m, the farthest joint
    print(found["bytes"], apart[len(apart) // 2], apart[-1])
    assert apart[len(apart) // 2] < 0.02
