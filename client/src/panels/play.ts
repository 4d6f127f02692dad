/** Play: how the character is steered, where it walks, who walks with it and how one looks at it. */
import type { CameraMode } from "../scene/camera";
import type { Panel, Studio } from "../studio";
import { button, group, h, range, segments, switchRow, toggle } from "../ui/elements";
import { addShortcuts } from "../ui/shortcuts";
import type { Parts } from "./index";
import { apartRow } from "./apart";
import { bookmarkRow } from "./bookmarks";
import { FitEditor } from "./fit";
import { qualityRow, showWorn } from "./look";
import { PathEditor } from "./path";
import type { Timeline } from "./timeline";

const COUNTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500];
const CAMERAS: CameraMode[] = ["follow", "chase", "side", "orbit", "free"];
const CAMERA = "kinematch-camera"; // where the browser keeps the chosen one
const GROUNDS = ["flat", "hills", "slopes", "stairs", "playground"] as const;

export function playPanel(studio: Studio, parts: Parts, timeline: Timeline): Panel {
  const { live, connection, viewport } = studio,
    { steering, character, lineup } = parts;
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
  const terrain = segments(
    GROUNDS.map((kind) => [kind, capital(kind)] as const),
    "flat",
    (kind) => connection.send({ type: "set_terrain", kind }),
    "Ground (T)",
  );
  terrain.classList.add("fill", "many");
  const camera = segments(
    CAMERAS.map((mode) => [mode, capital(mode)] as const),
    "follow",
    setCamera,
    "Camera",
  );
  camera.classList.add("fill");
  function setCamera(mode: CameraMode): void {
    viewport.follow.mode = mode;
    camera.set(mode);
    localStorage.setItem(CAMERA, mode);
  }
  const kept = CAMERAS.find((mode) => mode === localStorage.getItem(CAMERA));
  if (kept) setCamera(kept);
  const crowdNumber = h("output", "1");
  const crowd = range(
    {
      low: 0,
      high: COUNTS.length - 1,
      step: 1,
      value: 0,
      label: "Characters",
      read: (place) => `${COUNTS[place]} characters`,
    },
    (place) => {
      crowdNumber.textContent = String(COUNTS[place]);
    },
  );
  crowd.addEventListener("change", () => connection.send({ type: "set_crowd", count: COUNTS[Number(crowd.value)] }));
  const wornRow = h("div.group");
  const fit = new FitEditor(studio, character);
  const motion = h("select.field", {
    "aria-label": "Motion",
    onchange: () => connection.send({ type: "open_motion", name: motion.value }),
  }) as HTMLSelectElement;
  const motionNote = h("p.note", "What you build or open is listed here too, to come back to.");
  function showMotions(): void {
    const { motions, motion: played, database } = live.welcome!;
    const names = played ? motions : [...motions, database];
    motion.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    motion.value = played || database;
    motionNote.hidden = names.length > 1;
    const others = motions.filter((name) => name !== played);
    besideRow.hidden = !others.length || !played || studio.serverless === true;
    besideRow.replaceChildren(
      h("span.name", "Beside it"),
      ...others.map((name) => {
        const now = live.welcome!.compared;
        return toggle(
          name,
          now.includes(name),
          (on) => {
            const beside = on
              ? [...now.filter((one) => others.includes(one)), name]
              : now.filter((one) => one !== name);
            connection.send({ type: "open_motion", name: played, beside });
          },
          { kind: "small quiet", title: `Play ${name} beside it, on the same input` },
        );
      }),
    );
  }
  const besideRow = h("div.row", { hidden: true, style: "flex-wrap:wrap", role: "group", "aria-label": "Beside it" });
  const sides = h("div");

  /** Those that play side by side: all, or one in place of another. */
  function showSides(): void {
    const { names } = live;
    sides.hidden = !names.length;
    const choices = [["all", "All"] as const, ...names.map((name, k) => [String(k), name] as const)];
    const row = segments(
      choices,
      live.alone === null ? "all" : String(live.alone),
      (choice) => {
        live.alone = choice === "all" ? null : Number(choice);
      },
      "Side by side",
    );
    row.classList.add("fill");
    const apart = apartRow(live.apart.files, (metres) => (live.apart.files = metres));
    const notes = (live.welcome?.notes ?? []).map((note) => h("p.note", `${note}.`));
    sides.replaceChildren(group("Side by side", row, apart, ...notes));
  }

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
    row.classList.add("fill", "many");
    gaitHolder.replaceChildren(row);
  }
  /** To the first style beyond the ordinary gaits, a crouch if there is one, or back. */
  function toggleStyle(): void {
    const gaits = live.welcome?.gaits ?? [],
      styles = gaits.filter((gait) => gait.filter !== gaits[0].filter);
    const style = styles.find((gait) => gait.name.startsWith("crouch")) ?? styles[0];
    if (style) setGait(steering.gait === style.name ? gaits[0].name : style.name);
    else studio.say("This database has no crouched clips, and none of another style.");
  }
  function nextGait(): void {
    const names = (live.welcome?.gaits ?? []).map((gait) => gait.name);
    if (names.length) setGait(names[(names.indexOf(steering.gait) + 1) % names.length]);
  }
  function nextCamera(): void {
    setCamera(CAMERAS[(CAMERAS.indexOf(viewport.follow.mode) + 1) % CAMERAS.length]);
  }
  const lineupRow = h("div.group");
  function showLineup(): void {
    const pick = h("input", {
      type: "file",
      accept: ".glb,.vrm",
      multiple: true,
      hidden: true,
      onchange: async () => {
        for (const file of pick.files ?? []) await lineup.add(file);
      },
    }) as HTMLInputElement;
    lineupRow.replaceChildren(
      h(
        "div.row",
        { style: "flex-wrap:wrap" },
        h(
          "span.name",
          { style: "min-width:0;overflow-wrap:anywhere" },
          lineup.names.length ? `Beside it: ${lineup.names.join(", ")}` : "Nobody beside it",
        ),
        lineup.names.length ? button("Clear", () => void lineup.clear(), { kind: "small", icon: "reset" }) : null,
        button("Add beside", () => pick.click(), {
          kind: "small",
          title: "Another GLB or VRM that does the same motion on its own body",
        }),
        pick,
      ),
    );
  }
  lineup.onChange = showLineup;
  const showCharacter = () => showWorn(wornRow, studio, fit);
  character.onChange = showCharacter;
  character.onUnfit = () => void fit.show(true);

  live.onChange((change) => {
    if (change === "welcome") {
      showMotions();
      showCharacter();
      showGaits();
      showSides();
    }
    const situation = live.situation;
    if (change !== "situation" || !situation) return;
    how.set(situation.how);
    terrain.set(situation.terrain);
    crowdNumber.textContent = String(situation.crowd);
    crowd.set(COUNTS.findLastIndex((count) => count <= situation.crowd));
    path.show(situation);
    steering.keyboard.acts = situation.terrain === "playground";
  });
  steering.onButton = (pressed) =>
    ({
      pause: () => timeline.toggle(),
      strafe: () => setStrafe(!steering.strafe),
      crouch: toggleStyle,
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
    { section: "Steering", keys: "C", codes: ["KeyC"], text: "Crouch, or another style, and back", act: toggleStyle },
    { section: "Steering", keys: "G", codes: ["KeyG"], text: "Next gait or style", act: nextGait },
    {
      section: "Steering",
      keys: "E",
      codes: ["KeyE"],
      text: "In the playground: sit on the nearest seat, and stand up",
      act: () => {
        if (live.situation?.terrain === "playground") connection.send({ type: "act", action: "" });
      },
    },
    {
      section: "Steering",
      keys: "J",
      codes: ["KeyJ"],
      text: "Wave, where the motion can",
      act: () => {
        if (live.welcome?.actions.includes("wave")) connection.send({ type: "act", action: "wave" });
      },
    },
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
      text: "Flat, hills, slopes, stairs or the playground",
      act: () => {
        const now = GROUNDS.indexOf(live.situation?.terrain ?? "flat");
        connection.send({ type: "set_terrain", kind: GROUNDS[(now + 1) % GROUNDS.length] });
      },
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
    { section: "Camera", keys: "V", codes: ["KeyV"], text: "Follow, chase, side, orbit or free", act: nextCamera },
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
      showCharacter();
      showLineup();
      const views = (["back", "front", "left", "right", "top"] as const).map((side) =>
        button(capital(side), () => viewport.follow.view(side, live.yaw), { kind: "small quiet" }),
      );
      return h(
        "div",
        { style: "display:grid;grid-template-columns:minmax(0,1fr);gap:20px" },
        group("Steering", how, gaitHolder, strafe, path.element),
        sides,
        group("World", terrain, h("label.row", h("span.name", "Characters"), crowdNumber), crowd),
        ...(studio.serverless && (live.welcome?.motions.length ?? 0) < 2
          ? []
          : [group("Motion", motion, besideRow, motionNote)]),
        group(
          "Camera",
          camera,
          h("div.row", { style: "justify-content:space-between;gap:0" }, ...views),
          bookmarkRow(viewport.follow),
          qualityRow(viewport),
        ),
        group("Character", wornRow, ...(studio.serverless ? [] : [fit.element, lineupRow])),
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

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/_/g, " ");
}
