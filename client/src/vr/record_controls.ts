/** The recorder of trackers: keeps what the devices said, and saves it as a file. */
import type { Studio } from "../studio";
import { button, h } from "../ui/elements";
import type { VrStage } from "./stage";

export function recordControls(studio: Studio, stage: VrStage) {
  const { room } = stage;
  let saving = false;
  const start = button("Record", () => room.record(true), { kind: "small", icon: "live" });
  const stop = button("Stop and save", () => void save(), { kind: "small", icon: "save" });
  const note = h("p.note", "Headset and controllers as a file, for “kinematch avatar FILE”; ten minutes at most.");
  const element = h("div.group", h("div.row", start, stop), note);

  async function save(): Promise<void> {
    if (saving) return;
    saving = true;
    room.record(false);
    try {
      const answer = await fetch("api/room/recording", { headers: studio.connection.identity });
      if (!answer.ok) throw new Error(((await answer.json()) as { message?: string }).message);
      const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: "trackers.jsonl" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) {
      studio.say(String((error as Error).message ?? error), "bad", "The recording cannot be saved");
    }
    saving = false;
  }

  function show(): void {
    start.hidden = room.own?.recording ?? false;
    stop.hidden = !start.hidden;
    start.disabled = !room.own;
  }

  return { element, show };
}
