/** Play: how the character is steered, where it walks, who walks with it and how one looks at it. */
import type { CameraMode } from "../scene/camera";
import type { Panel, Studio } from "../studio";
import { button, group, h, range, segments, switchRow } from "../ui/elements";
import { addShortcuts } from "../ui/shortcuts";
import type { Parts } from "./index";
import { PathEditor } from "./path";
import type { Timeline } from "./timeline";

const MOST = 500;

export function playPanel(studio: Studio, parts: Parts, timeline: Timeline): Panel {
  const { live, connection, viewport } = studio,
    { steering, character } = parts;
  const path = new PathEditor(studio);

  function steerBy(how: "stick" | "path"): void {
    connection.send({ type: "steer_by", how });
    if (how === "path") path.begin();
  }
  const how = segments(
    [
      ["stick", "Stick"],
      ["path", "Path"],
    ] as const,
    "stick",
    steerBy,
    "Steer by",
  );
  how.classList.add("fill");
  const strafe = switchRow("Strafe", false, setStrafe, {
    key: "F",
    title: "Face where the camera looks; arrows or the second stick turn the character",
  });
  function setStrafe(on: boolean): void {
    steering.strafe = on;
    strafe.set(on);
  }
  const gaitHolder = h("div");
  const terrain = switchRow("Hills", false, (on) => connection.send({ type: "set_terrain", on }), {
    key: "T",
    title: "Walk on hills instead of a flat floor",
  });
  const camera = segments(
    [
      ["follow", "Follow"],
      ["chase", "Chase"],
      ["free", "Free"],
    ] as const,
    "follow",
    setCamera,
    "Camera",
  );
  camera.classList.add("fill");
  function setCamera(mode: CameraMode): void {
    viewport.follow.mode = mode;
    camera.set(mode);
  }
  const crowdNumber = h("output", "1");
  const crowd = range({ low: 0, high: 1, step: 0.001, value: 0, label: "Characters" }, (share) => {
    crowdNumber.textContent = String(fromShare(share));
  });
  crowd.addEventListener("change", () => connection.send({ type: "set_crowd", count: fromShare(Number(crowd.value)) }));
  const wornRow = h("div.group");

  function setGait(name: string): void {
    steering.gait = name;
    showGaits();
  }
  function showGaits(): void {
    const gaits = live.welcome?.gaits ?? [];
    if (!gaits.some((gait) => gait.name === steering.gait)) steering.gait = gaits[0]?.name ?? "walk";
    const row = segments(
      gaits.map((gait) => [gait.name, capital(gait.name)] as const),
      steering.gait,
      (name) => {
        steering.gait = name;
      },
      "Gait",
    );
    row.classList.add("fill");
    gaitHolder.replaceChildren(row);
  }
  function toggleCrouch(): void {
    const crouch = live.welcome?.gaits.find((gait) => gait.name.startsWith("crouch"));
    if (crouch) setGait(steering.gait === crouch.name ? live.welcome!.gaits[0].name : crouch.name);
    else studio.say("This database has no crouched clips.");
  }
  function nextCamera(): void {
    const modes: CameraMode[] = ["follow", "chase", "free"];
    setCamera(modes[(modes.indexOf(viewport.follow.mode) + 1) % modes.length]);
  }
  function showWorn(): void {
    const pick = h("input", {
      type: "file",
      accept: ".glb,.vrm",
      hidden: true,
      onchange: () => {
        if (pick.files?.[0]) void character.wear(pick.files[0]);
      },
    }) as HTMLInputElement;
    wornRow.replaceChildren(
      h(
        "div.row",
        h("span.name", character.name ?? "Mannequin"),
        character.name
          ? button("Mannequin", () => void character.takeOff(), { kind: "small", icon: "reset" })
          : button("Use a GLB or VRM", () => pick.click(), { kind: "small" }),
        pick,
      ),
      h(
        "p.note",
        character.name
          ? "The server retargets the motion to it; its feet stand on its own legs."
          : "Or drop the file on the page.",
      ),
    );
  }
  character.onChange = showWorn;

  live.onChange((change) => {
    if (change === "welcome") showGaits();
    const situation = live.situation;
    if (change !== "situation" || !situation) return;
    how.set(situation.how);
    terrain.set(situation.terrain);
    crowdNumber.textContent = String(situation.crowd);
    crowd.set(toShare(situation.crowd));
    path.show(situation);
  });
  steering.onButton = (pressed) =>
    ({
      pause: () => timeline.toggle(),
      strafe: () => setStrafe(!steering.strafe),
      crouch: toggleCrouch,
      camera: nextCamera,
    })[pressed]();
  steering.gamepads.onPlug = (name, plugged) =>
    studio.say(
      plugged ? "Left stick walks, a trigger or A runs, the right stick turns the camera." : "",
      "plain",
      plugged ? `${name} is ready` : `${name} was unplugged`,
    );

  addShortcuts(
    { section: "Steering", keys: "W A S D", text: "Walk; the arrows too" },
    { section: "Steering", keys: "Shift", text: "Run" },
    { section: "Steering", keys: "C", codes: ["KeyC"], text: "Crouch or stand up", act: toggleCrouch },
    {
      section: "Steering",
      keys: "F",
      codes: ["KeyF"],
      text: "Strafe; the arrows then turn",
      act: () => setStrafe(!steering.strafe),
    },
    {
      section: "Steering",
      keys: "P",
      codes: ["KeyP"],
      text: "Follow the path, or the stick",
      act: () => steerBy(live.situation?.how === "path" ? "stick" : "path"),
    },
    {
      section: "Steering",
      keys: "R",
      codes: ["KeyR"],
      text: "Start over",
      act: () => connection.send({ type: "start_over" }),
    },
    {
      section: "Steering",
      keys: "T",
      codes: ["KeyT"],
      text: "Hills or flat floor",
      act: () => connection.send({ type: "set_terrain", on: !live.situation?.terrain }),
    },
    {
      section: "Steering",
      keys: "Delete",
      codes: ["Delete", "Backspace"],
      text: "Remove the picked point",
      act: () => path.removePicked(),
    },
    { section: "Camera", keys: "Q E", text: "Turn; or drag the stage" },
    {
      section: "Camera",
      keys: "+ -",
      codes: ["+", "=", "NumpadAdd"],
      text: "Zoom in or out; or the wheel",
      act: () => viewport.follow.zoom(0.85),
    },
    { section: "Camera", keys: "V", codes: ["KeyV"], text: "Follow, chase or free", act: nextCamera },
    {
      section: "Camera",
      keys: "B",
      codes: ["KeyB"],
      text: "Behind the character",
      act: () => viewport.follow.view("back", live.yaw),
    },
  );
  addShortcuts({
    section: "",
    keys: "",
    codes: ["-", "NumpadSubtract"],
    text: "",
    act: () => viewport.follow.zoom(1 / 0.85),
  });

  return {
    id: "play",
    title: "Play",
    icon: "play",
    layout: "side",
    stage: "live",
    dock: "slim",
    build: () => {
      showWorn();
      const views = (["back", "front", "left", "right", "top"] as const).map((side) =>
        button(capital(side), () => viewport.follow.view(side, live.yaw), { kind: "small quiet" }),
      );
      return h(
        "div",
        { style: "display:grid;gap:20px" },
        group("Steering", how, gaitHolder, strafe, path.element),
        group("World", terrain, h("label.row", h("span.name", "Characters"), crowdNumber), crowd),
        group("Camera", camera, h("div.row", { style: "justify-content:space-between;gap:0" }, ...views)),
        group("Character", wornRow),
        h(
          "div.row",
          button("Start over", () => connection.send({ type: "start_over" }), { icon: "reset", kind: "small" }),
        ),
      );
    },
    opened: () => path.open(true),
    closed: () => path.open(false),
    frame: () => path.frame(),
  };
}

/** The slider is finer for few: 1 to MOST along a curve. */
function fromShare(share: number): number {
  return Math.round(MOST ** share);
}

function toShare(count: number): number {
  return Math.log(count) / Math.log(MOST);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/_/g, " ");
}
