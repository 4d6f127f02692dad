/** What moves one's body and what it looks like: database, character, and how devices are worn. */
import type { Studio } from "../studio";
import { button, h, segments } from "../ui/elements";
import type { VrStage } from "./stage";

export function bodyControls(studio: Studio, stage: VrStage) {
  const { room } = stage;
  const databases = select("Database", (database) => room.change({ database }));
  const devices = select("Devices", (name) => {
    room.device = name;
  });
  const user = h("input.field", {
    placeholder: "to be known again",
    maxLength: 64,
    value: room.user,
    "aria-label": "Your name",
    onchange: () => room.rename(user.value),
  }) as HTMLInputElement;
  const fit = segments(
    [
      ["avatar", "Avatar to you"],
      ["space", "You to avatar"],
    ] as const,
    "avatar",
    (how) => room.change({ fit: how }),
    "Scale",
  );
  fit.classList.add("fill");
  const worn = h("div.row");
  const height = h("output");
  const none = h("p.note", "Enter the room to get a body.");
  const pick = h("input", {
    type: "file",
    accept: ".glb,.vrm",
    hidden: true,
    onchange: () => {
      if (pick.files?.[0]) void wear(pick.files[0]);
    },
  }) as HTMLInputElement;
  const element = h(
    "div.group",
    h("label.row", h("span.name", "Your name"), user),
    h("label.row", h("span.name", "Devices"), devices),
    none,
    h("label.row", h("span.name", "Database"), databases),
    worn,
    h("div.row", h("span.name", "Your height"), height),
    h("div.row", h("span.name", "Scale"), fit),
    pick,
  );

  async function wear(file: File | null): Promise<void> {
    try {
      await studio.ask(`/api/room/character${file ? `?name=${encodeURIComponent(file.name)}` : ""}`, {
        method: file ? "POST" : "DELETE",
        ...(file ? { body: file, headers: { "content-type": "application/octet-stream" } } : {}),
      });
      if (file) studio.say("It is fitted to your height.", "good", `You wear ${file.name}`);
    } catch (error) {
      studio.say(String((error as Error).message ?? error), "bad", file ? `${file.name} cannot be worn` : "");
    }
  }

  function show(): void {
    const { own, now } = room;
    fill(databases, now?.databases ?? [], own?.database ?? "");
    fill(devices, now?.devices ?? [], room.device);
    devices.disabled = user.disabled = own !== null;
    fit.set(own?.fit ?? "avatar");
    none.hidden = own !== null;
    for (const row of [databases.parentElement!, worn, height.parentElement!, fit.parentElement!])
      row.hidden = own === null;
    height.textContent = own
      ? `${own.height.toFixed(2)} m${own.seated ? ", seated" : own.calibrated ? "" : ", not measured"}`
      : "";
    worn.replaceChildren(
      h("span.name", own?.character || "Person"),
      own?.character
        ? button("Take off", () => void wear(null), { kind: "small", icon: "reset" })
        : button("Wear a GLB or VRM", () => pick.click(), { kind: "small" }),
    );
  }

  /** A dropped character is worn by who has a body. */
  function take(files: File[]): boolean {
    if (files.length !== 1 || !/\.(glb|vrm)$/i.test(files[0].name)) return false;
    if (room.own) void wear(files[0]);
    else studio.say("Enter the room first, then drop it again.", "bad", files[0].name);
    return true;
  }

  return { element, show, take };
}

function select(label: string, chosen: (name: string) => void): HTMLSelectElement {
  const element = h("select.field", {
    "aria-label": label,
    onchange: () => chosen(element.value),
  }) as HTMLSelectElement;
  return element;
}

function fill(element: HTMLSelectElement, names: string[], value: string): void {
  if ([...element.options].map((one) => one.value).join("\n") !== names.join("\n"))
    element.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
  element.value = value;
}
