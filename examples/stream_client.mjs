// A client of Kinematch's pose stream in one page, for browsers and Node 22 or newer; docs/stream.md has the protocol.
//
//   kinematch stream                         (or kinematch play, and port 8123)
//   node examples/stream_client.mjs ws://127.0.0.1:8124/stream [FRAMES]
//
// In a page of your own, import { connect } from it; start `kinematch stream --origin http://localhost:5173` with the
// address of your page. With three.js: bone.position.fromArray(position); bone.quaternion.fromArray(rotation).

const PROTOCOL = 2;

/** A pose frame, or null for binary messages of other kinds. Arrays are views of the message, nothing is copied. */
export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x31504d4b) return null; // "KMP1"
  const count = (at) => view.getUint32(at, true);
  const frame = {
    step: count(4),
    time: view.getFloat64(8, true),
    characters: count(16),
    joints: count(24),
    positioned: count(28),
  };
  let place = 64;
  const take = (Kind, length) => {
    const array = new Kind(buffer, place, length);
    place += 4 * length;
    return array;
  };
  const n = frame.characters;
  frame.frames = take(Int32Array, n);
  frame.fractions = take(Float32Array, n);
  frame.bits = take(Uint32Array, n);
  frame.costs = take(Float32Array, n);
  frame.roots = take(Float32Array, 4 * n); // x y z and yaw
  frame.bodies = take(Float32Array, 8 * n);
  frame.positions = take(Float32Array, 3 * n * frame.positioned); // in the parent's space
  frame.rotations = take(Float32Array, 4 * n * frame.joints); // in the parent's space, x y z w
  return frame; // the two trajectories follow
}

/** Joint angles of robots, which `kinematch stream --robot g1.xml` sends too; null for messages of other kinds. */
export function readRobots(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x31524d4b) return null; // "KMR1"
  const [robots, hinges] = [view.getUint32(16, true), view.getUint32(20, true)];
  return {
    step: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    bases: new Float32Array(buffer, 64, 7 * robots), // x y z, x y z w; Z up, X forward
    angles: new Float32Array(buffer, 64 + 28 * robots, robots * hinges), // rad, in the order of welcome.robot.hinges
  };
}

/** Local position and rotation of every joint of a character: most joints keep their offset. */
export function localPose(skeleton, frame, character = 0) {
  const pose = skeleton.names.map((name, joint) => {
    const at = 4 * (character * frame.joints + joint);
    return { name, position: [...skeleton.offsets[joint]], rotation: [...frame.rotations.subarray(at, at + 4)] };
  });
  skeleton.positioned.forEach((joint, k) => {
    const at = 3 * (character * frame.positioned + k);
    pose[joint].position = [...frame.positions.subarray(at, at + 3)];
  });
  pose[0].position = [...frame.roots.subarray(4 * character, 4 * character + 3)];
  return pose;
}

/** Positions of all joints in the world, in metres. */
export function globalPositions(skeleton, frame, character = 0) {
  const placed = [];
  localPose(skeleton, frame, character).forEach(({ position, rotation }, joint) => {
    const above = placed[skeleton.parents[joint]];
    placed.push(
      above
        ? {
            position: rotate(above.rotation, position).map((value, k) => value + above.position[k]),
            rotation: multiply(above.rotation, rotation),
          }
        : { position, rotation },
    );
  });
  return placed.map(({ position }) => position);
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function rotate(q, v) {
  const t = cross(q, v).map((value) => 2 * value);
  const u = cross(q, t);
  return v.map((value, k) => value + q[3] * t[k] + u[k]);
}
function multiply([x, y, z, w], [i, j, k, r]) {
  return [
    w * i + x * r + y * k - z * j,
    w * j - x * k + y * r + z * i,
    w * k + x * j - y * i + z * r,
    w * r - x * i - y * j - z * k,
  ];
}

/** Calls onFrame(skeleton, frame) and onRobots(robot, frame); close() the socket that it returns to end. */
export function connect(address, onFrame, onWelcome = () => {}, onRobots = () => {}) {
  const socket = new WebSocket(address);
  let skeleton = null;
  let robot = null;
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    if (typeof data !== "string") {
      const frame = readFrame(data);
      if (frame && skeleton) onFrame(skeleton, frame);
      const angles = frame ? null : readRobots(data);
      if (angles && robot) onRobots(robot, angles);
      return;
    }
    const told = JSON.parse(data);
    if (told.type !== "welcome") return; // comes again when another character is shown
    if (told.protocol !== PROTOCOL) throw new Error(`the stream speaks protocol ${told.protocol}, not ${PROTOCOL}`);
    skeleton = (told.character ?? told).skeleton;
    robot = told.robot ?? null;
    onWelcome(told, skeleton);
  };
  return socket;
}

if (typeof process !== "undefined" && process.argv[1]?.endsWith("stream_client.mjs")) {
  const count = Number(process.argv[3] ?? 0);
  let seen = 0;
  const socket = connect(
    process.argv[2] ?? "ws://127.0.0.1:8124/stream",
    (skeleton, frame) => {
      if (seen % 30 === 0) {
        const [x, y, z] = globalPositions(skeleton, frame)[skeleton.roles.head].map((value) => value.toFixed(2));
        console.log(`${frame.time.toFixed(2)} s  head at x ${x}  y ${y}  z ${z} m`);
      }
      seen += 1;
      if (seen === count) socket.close();
    },
    (told, skeleton) => {
      console.log(`${told.database}: ${skeleton.names.length} joints, ${told.step_rate} frames a second`);
      if (told.robot) console.log(`${told.robot.name}: angles of ${told.robot.hinges.length} hinges besides`);
    },
    (robot, { time, bases, angles }) => {
      if ((seen - 1) % 30 !== 0) return; // of the pose frame before
      const knees = robot.hinges.flatMap((name, k) => (name.includes("knee") ? [`${name} ${angles[k].toFixed(2)}`] : []));
      console.log(`${time.toFixed(2)} s  base at height ${bases[2].toFixed(2)} m, ${knees.join(", ")} rad`);
    },
  );
  socket.onerror = () => {
    console.error("no connection");
    process.exitCode = 1;
  };
}
