/** The dialog that asks what to film and how, shows the progress, and saves the film. */
import type { Studio } from "../studio";
import { button, h, segments } from "../ui/elements";
import { loadViews } from "./bookmarks";
import type { Film, FilmCamera, FilmOptions } from "./film";
import "./film.css";

const SPEEDS = [
  ["1", "Real time"],
  ["0.5", "½ speed"],
  ["0.25", "¼ speed"],
] as const;
const SIZES = [
  ["480", "480 × 270"],
  ["854", "854 × 480"],
  ["1280", "1280 × 720"],
  ["1920", "1920 × 1080"],
] as const;
const LONGEST = 60; // s of a film
const USUAL = 10; // s

/** Film steps [start, stop), of which the dialog takes the last seconds at first. */
export function askForFilm(
  studio: Studio,
  film: Film,
  first: "gif" | "mp4",
  [start, stop]: [number, number],
): void {
  const rate = studio.live.welcome?.step_rate ?? 60,
    length = (stop - start) / rate;
  const formats = (["gif", "mp4"] as const).filter((kind) => studio.live.welcome?.formats.includes(kind));
  const views = loadViews();
  const chosen = {
    format: first,
    speed: "1" as (typeof SPEEDS)[number][0],
    size: (first === "gif" ? "480" : "1280") as (typeof SIZES)[number][0],
    camera: "now" as FilmCamera,
  };
  const seconds = (value: number, label: string) =>
    h("input.field.number", {
      type: "number",
      min: 0,
      max: length.toFixed(1),
      step: 0.1,
      value: value.toFixed(1),
      "aria-label": label,
      oninput: () => describe(),
    }) as HTMLInputElement;
  const from = seconds(Math.max(0, length - USUAL), "From, in seconds"),
    to = seconds(length, "To, in seconds");
  const cameras: [FilmCamera, string][] = [
    ["now", "As now"],
    ["follow", "Follow"],
    ["side", "Side"],
    ["orbit", "Around"],
  ];
  if (views.length > 1) cameras.push(["views", "Bookmarks"]);
  const summary = h("p.note", { role: "status" }),
    bar = h("i"),
    progress = h(
      "div.progress",
      { hidden: true, role: "progressbar", "aria-label": "Film", "aria-valuemin": 0, "aria-valuemax": 100 },
      bar,
    );
  const size = choose(SIZES, chosen.size, "Size", (value) => (chosen.size = value));
  const begin = button("Film", () => void make(), { kind: "primary", icon: "camera" });
  const close = button("Cancel", () => dialog.close(), { kind: "quiet" });
  const form = h(
    "fieldset.film",
    row(
      "Format",
      segments(
        formats.map((kind) => [kind, kind.toUpperCase()] as const),
        first,
        (kind) => {
          chosen.format = kind;
          describe();
        },
        "Format",
      ),
    ),
    row("From", h("span.row", from, h("span.note", "to"), to, h("span.note", `s of the ${length.toFixed(1)} s shown`))),
    row(
      "Speed",
      segments(
        SPEEDS,
        "1",
        (speed) => {
          chosen.speed = speed;
          describe();
        },
        "Speed",
      ),
    ),
    row("Camera", segments(cameras, "now", (camera) => (chosen.camera = camera), "Camera")),
    row("Size", size),
    views.length > 1
      ? null
      : h("p.note", "With two or more camera bookmarks (under Play), the camera can also travel from one to the next."),
  ) as HTMLFieldSetElement;
  const dialog = h(
    "dialog.film-dialog",
    { "aria-label": "Film" },
    h("div.card", h("h2", "Film"), form, summary, progress, h("div.row", h("span.gap"), close, begin)),
  ) as HTMLDialogElement;

  function read(): FilmOptions {
    const width = Number(chosen.size),
      [a, b] = [Number(from.value), Number(to.value)];
    return {
      format: chosen.format,
      start: start + Math.round(Math.max(a, 0) * rate),
      stop: Math.min(start + Math.round(b * rate), stop),
      speed: Number(chosen.speed),
      rate: chosen.format === "gif" ? 20 : 30,
      width,
      height: 2 * Math.round((width * 9) / 32),
      camera: chosen.camera,
      views,
    };
  }
  function describe(): void {
    const options = read(),
      lasts = (options.stop - options.start) / rate / options.speed;
    const bad = !(lasts > 0) ? "Choose a later end." : lasts > LONGEST ? `Choose ${LONGEST} s at most.` : "";
    begin.disabled = bad !== "";
    summary.textContent =
      bad || `A film of ${lasts.toFixed(1)} s, ${Math.max(1, Math.round(lasts * options.rate))} pictures.`;
  }
  async function make(): Promise<void> {
    const options = read();
    form.disabled = begin.disabled = true;
    progress.hidden = false;
    try {
      const made = await film.make(options, (share, text) => {
        bar.style.width = `${100 * share}%`;
        progress.setAttribute("aria-valuenow", String(Math.round(100 * share)));
        progress.classList.toggle("unknown", share === 1);
        summary.textContent = text;
      });
      if (!made) return;
      const address = URL.createObjectURL(made);
      h("a", { href: address, download: `${findName(studio)}.${options.format}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      studio.say(`${(made.size / 1e6).toFixed(1)} MB`, "good", "The film is saved");
      dialog.close();
    } catch (error) {
      studio.say(String((error as Error).message), "bad", "The film was not made");
      dialog.close();
    }
  }
  dialog.addEventListener("close", () => {
    film.cancel();
    dialog.remove();
  });
  document.body.append(dialog);
  describe();
  dialog.showModal();
}

function row(name: string, control: HTMLElement): HTMLElement {
  return h("div.film-row", h("span", name), control);
}

function choose<T extends string>(
  choices: readonly (readonly [T, string])[],
  value: T,
  label: string,
  changed: (value: T) => void,
): HTMLElement {
  const field = h(
    "select.field",
    { "aria-label": label, onchange: () => changed(field.value as T) },
    ...choices.map(([id, text]) => h("option", { value: id, selected: id === value }, text)),
  ) as HTMLSelectElement;
  return field;
}

/** A file's name: the motion's, the character's and the time. */
function findName(studio: Studio): string {
  const worn = studio.character.name?.replace(/\.\w+$/, "") ?? "",
    time = new Date().toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  return [studio.live.welcome?.database ?? "film", worn, time]
    .filter(Boolean)
    .map((part) => part.replace(/[^\w.-]+/g, "_").slice(0, 40))
    .join("-");
}
