/** VR: enter with a headset, or with a simulated user; bodies, mirror, calibration and recordings. */
import type { Panel, Studio } from "../studio";
import { button, group, h, segments, switchRow } from "../ui/elements";
import { bodyControls } from "./body_controls";
import { CameraControls } from "./camera/controls";
import type { Emulator } from "./emulator";
import { Headset } from "./headset";
import { recordControls } from "./record_controls";
import { VrStage } from "./stage";
import "./vr.css";

const WATCH = 0.25; // s between looks at the figures

function capital(name: string): string {
  return name[0].toUpperCase() + name.slice(1);
}

export function vrPanel(studio: Studio): { panel: Panel; stage: VrStage } {
  const stage = new VrStage(studio);
  const { room, headset, simulated } = stage;
  const camera = (stage.camera = new CameraControls(studio, stage));
  let emulator: Emulator | null = null,
    wait = 0,
    there = false, // whether the browser has a headset
    isOpen = false;
  const invitation = h("div.stage-notice", { hidden: true }, "Enter VR, or choose Stroll, to see a body here");
  studio.viewport.renderer.domElement.parentElement!.append(invitation);
  const waitingFor = h("span");
  const waiting = h("div.note", { role: "status" }, waitingFor, h("div.progress.unknown", h("i")));
  let prepared: { name: string; since: number } | null = null; // the motion that the server is asked for

  const enter = button("Enter VR", () => void attempt(enterVr), { icon: "headset", kind: "primary" });
  const calibrate = button("Calibrate", () => room.calibrate(), {
    title: "Stand upright and look ahead; the body is fitted to your height",
  });
  const recentre = button("Recentre", () => stage.recentre(), { title: "Begin again in front of the mirror" });
  const more = h(
    "div.row",
    button("T-pose", () => room.calibrate("pose"), {
      kind: "small quiet",
      title: "Stretch both arms out to the sides, palms down: tells how devices are held, and how long your arms are",
    }),
    button("Floor", () => room.calibrate("floor"), {
      kind: "small quiet",
      title: "Lay a controller on the floor first",
    }),
    button("Measure again", () => room.calibrate("again"), { kind: "small quiet", title: "For another person" }),
  );
  const about = h("p.note");
  const motionHolder = h("div");
  const stop = button("Stop", stopSimulated, { kind: "small" });
  const lost = switchRow("Right controller is lost", false, (on) => (simulated.lost = on), {
    title: "The arm then moves as the motion does, and is taken back when the controller is found",
  });
  const emulatorHolder = h("div.group");
  const emulate = button("Emulate a headset", () => void attempt(startEmulator), { kind: "small" });
  const look = segments(
    [
      ["third", "From outside"],
      ["first", "First person"],
    ] as const,
    "third",
    (how) => (stage.look = how),
    "View",
  );
  look.classList.add("fill");
  const mirror = switchRow("Mirror", false, (on) => (stage.mirror.shown = on));
  const figures = h("dl.figures");
  const people = h("ul.list");
  const body = bodyControls(studio, stage),
    record = recordControls(studio, stage);
  const pick = h("input", {
    type: "file",
    accept: ".bvh,.glb,.gltf,.vrma",
    hidden: true,
    onchange: () => {
      if (pick.files?.[0]) void attempt(() => simulate(pick.files![0]));
    },
  }) as HTMLInputElement;

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      studio.say(String((error as Error).message ?? error), "bad");
    }
    show();
  }

  async function enterVr(): Promise<void> {
    if (headset.worn) return headset.exit();
    simulated.stop();
    await headset.enter(stage.spot);
    room.enter();
    setMirror(true);
  }

  async function startEmulator(): Promise<void> {
    const module = await import("./emulator");
    emulator ??= await module.Emulator.load(studio.viewport, () => void headset.exit());
    await showSupport();
    await enterVr();
  }

  async function simulate(motion: string | File): Promise<void> {
    prepared = { name: typeof motion === "string" ? capital(motion) : motion.name, since: performance.now() };
    const entered = new Promise<void>((resolve) => {
      if (room.own) return resolve();
      room.onChange(() => room.own && resolve());
      if (!room.waiting) room.enter(); // the body is made while the motion is prepared
    });
    show();
    try {
      await simulated.start(motion);
    } catch (error) {
      if (!room.own || !simulated.running) room.leave();
      throw error;
    } finally {
      prepared = null;
      show();
    }
    await entered;
    room.measure(simulated.height);
  }

  /** What is being prepared, and for how long. */
  function showWaiting(): void {
    waiting.hidden = !prepared && !room.waiting;
    invitation.hidden = !isOpen || !waiting.hidden || headset.worn || stage.avatars.main !== null;
    if (waiting.hidden) return;
    stage.since ??= performance.now();
    const seconds = Math.floor((performance.now() - (prepared?.since ?? stage.since)) / 1000);
    const what = prepared ? `“${prepared.name}” is being prepared` : "Your body is being made";
    waitingFor.textContent = `${what}: ${seconds} s. On a new machine this takes up to a minute, later a moment.`;
  }

  function stopSimulated(): void {
    simulated.stop();
    room.leave();
    show();
  }

  function setMirror(on: boolean): void {
    stage.mirror.shown = on;
    mirror.set(on);
  }

  headset.onEnd = () => {
    room.leave();
    show();
  };
  headset.onButton = (pressed) =>
    ({
      calibrate: () => room.calibrate(),
      recentre: () => stage.recentre(),
      mirror: () => setMirror(!stage.mirror.shown),
      database: () => stage.nextDatabase(),
    })[pressed]();

  function showMotions(): void {
    const names = room.now?.motions ?? [];
    const rows = names.map((name) =>
      button(capital(name), () => void attempt(() => simulate(name)), { kind: "small" }),
    );
    rows.forEach((row, k) =>
      row.setAttribute("aria-pressed", String(simulated.running && simulated.name === names[k])),
    );
    const own = button("A clip…", () => pick.click(), {
      kind: "small",
      title: "BVH, GLB or VRMA: its person is replayed",
    });
    own.setAttribute("aria-pressed", String(simulated.running && !names.includes(simulated.name)));
    motionHolder.replaceChildren(h("div.motions", ...rows, own, ...(simulated.running ? [stop] : [])));
  }

  function show(): void {
    enter.lastChild!.textContent = headset.worn ? "Leave VR" : "Enter VR";
    calibrate.disabled = !room.own;
    more.hidden = !room.own;
    enter.disabled = !there && !headset.worn;
    if (!room.waiting && !prepared) stage.since = null;
    showWaiting();
    recentre.disabled = !headset.worn && !simulated.running;
    lost.hidden = !simulated.running;
    look.hidden = headset.worn;
    emulatorHolder.replaceChildren(...(emulator && headset.worn ? [emulator.controls] : [h("div.row", emulate)]));
    showMotions();
    body.show();
    record.show();
    people.replaceChildren(
      ...(room.now?.users ?? []).map((user) =>
        h(
          "li",
          h("i.dot"),
          h("span.name", user.user === room.own?.user ? "You" : user.name),
          h("small", `${user.character || "person"}, ${user.database}`),
        ),
      ),
    );
    people.parentElement?.toggleAttribute("hidden", !room.now?.users.length);
  }

  function showFigures(): void {
    const answer = stage.answer;
    const rows = !room.own
      ? []
      : ([
          ["Latency", answer ? `${answer.middle.toFixed(1)} ms` : "", answer ? (answer.good ? "good" : "warn") : ""],
          ["95 % below", answer ? `${answer.slow.toFixed(1)} of 16 ms` : "", ""],
          ["Step of your body", `${room.milliseconds.toFixed(2)} ms`, ""],
          ["Samples", `${Math.round(room.rate)} a second`, ""],
        ] as const);
    figures.replaceChildren(
      ...rows.flatMap(([name, text, kind]) => [h("dt", name), h("dd", ...(kind ? [h(`i.dot.${kind}`)] : []), text)]),
    );
    figures.parentElement?.toggleAttribute("hidden", !rows.length);
  }

  async function showSupport(): Promise<void> {
    there = await Headset.isThere();
    about.textContent = there
      ? "A body is fitted to you at once; calibrate to fit it to your height."
      : window.isSecureContext
        ? "This browser has no headset. Open this address in a headset's browser, or use one of the following."
        : "Headsets need HTTPS: start the server with “kinematch play --vr --host ADDRESS --https”.";
  }

  room.onChange(show);
  const panel: Panel = {
    id: "vr",
    title: "VR",
    icon: "headset",
    layout: "side",
    stage: "own",
    dock: "none",
    build: () =>
      h(
        "div.vr",
        group("Headset", enter, h("div.row", calibrate, recentre), more, about, waiting),
        group(
          "Without a headset",
          h("p.note", "A simulated user sends what trackers would say:"),
          motionHolder,
          lost,
          emulatorHolder,
          pick,
        ),
        group("Camera", camera.element),
        group("View", look, mirror),
        group("Body", body.element),
        group("Response", figures),
        group("Trackers", record.element),
        group("People", people),
      ),
    opened: () => {
      studio.connection.send({ type: "stream", every: 0 });
      studio.viewport.follow.jump();
      isOpen = true;
      void showSupport().then(show);
      navigator.xr?.addEventListener?.("devicechange", () => void showSupport());
    },
    closed: () => {
      studio.connection.send({ type: "stream", every: 1 });
      if (headset.worn) void headset.exit();
      camera.stop();
      setMirror(false);
      isOpen = false;
      invitation.hidden = true;
      stage.close();
    },
    frame: (seconds) => {
      emulator?.update(seconds);
      stage.update(seconds);
      camera.update();
      wait -= seconds;
      if (wait > 0) return;
      wait = WATCH;
      showFigures();
      showWaiting();
      camera.show();
    },
    followed: () =>
      stage.avatars.main ?? (stage.standIn.shown ? { position: stage.spot.setComponent(1, 0.9), yaw: 0 } : null),
    dropped: (files) => body.take(files),
  };
  return { panel, stage };
}
