/** The corners of the stage: what is played, who steers, how quickly it answers. */
import type { Steering } from "../input/steering";
import type { Studio } from "../studio";
import { button, h } from "./elements";

export class StageCorners {
  private readonly database = h("span.chip", { title: "The database that is played" });
  private readonly steers = h("span.chip");
  private readonly clip = h("span.chip", { title: "Clip and time that play now" });
  private readonly speed = h("span.chip.speed", {
    title: "Input latency: from the stick to the first frame that shows it; frames per second; server time per step",
  });
  private readonly hint = h(
    "span.chip.hint",
    h("span.by-keys", h("kbd", "W"), h("kbd", "A"), h("kbd", "S"), h("kbd", "D"), " walk"),
    h("span.by-keys", h("kbd", "Shift"), " run"),
    h("span.by-keys", h("kbd", "?"), " all keys"),
    h("span.by-touch", "Drag the stick to walk, the stage to look around"),
  );
  private readonly pinned = h("span.chip.warn", { hidden: true });
  private readonly few = h("span.chip.warn", {
    hidden: true,
    role: "status",
    title: "All of them play on; this machine is too slow to draw them all. Change their number to try again.",
  });
  private readonly paused = h("span.chip.warn", { hidden: true });
  private readonly all: HTMLElement[];
  private rate = 60;
  private wait = 0;

  constructor(
    overlay: HTMLElement,
    private readonly studio: Studio,
    private readonly steering: Steering,
    steerFromHere: () => void,
  ) {
    this.paused.append(
      h("i.dot"),
      h("strong", "Paused"),
      "keys steer again",
      button("from here", steerFromHere, { kind: "small" }),
    );
    this.pinned.append(
      h("i.dot"),
      h("strong", "A shared moment"),
      button("Watch live", () => (studio.live.pinned = null), { kind: "small" }),
    );
    const take = button("Take the stick", () => studio.connection.send({ type: "take_steering" }), { kind: "small" });
    this.all = [
      h("div.corner.top-left", this.database, this.clip),
      h("div.corner.top-right", this.pinned, this.paused, this.steers),
      h("div.corner.bottom-left", steering.screen.element),
      h("div.corner.bottom", this.hint),
      h("div.corner.bottom-right", this.few, this.speed),
    ];
    overlay.append(...this.all);
    steering.onMoved = () => {
      this.hint.style.opacity = "0";
      setTimeout(() => {
        this.hint.hidden = true;
      }, 600);
    };
    studio.live.onChange((change) => {
      const { welcome, situation } = studio.live;
      if (change === "welcome" && welcome)
        this.database.replaceChildren(
          h("strong", welcome.database),
          h(
            "span.size",
            `${welcome.clips.length} ${welcome.clips.length === 1 ? "clip" : "clips"}, ${lasting(welcome.frame_count / welcome.frame_rate)}`,
          ),
        );
      if (change !== "situation" || !situation) return;
      this.paused.hidden = situation.playing || !situation.live;
      const mine = studio.live.steers,
        asking = situation.asking && mine;
      this.steers.hidden = situation.live && mine && !asking && situation.watchers.length < 2;
      const hand = asking
        ? button("Hand over", () => studio.connection.send({ type: "hand_over", to: situation.asking }), {
            kind: "small",
          })
        : null;
      const text = !situation.live
        ? "A recording is shown"
        : asking
          ? "Another page asks for the stick"
          : mine
            ? "You steer"
            : "Another page steers";
      this.steers.replaceChildren(h("i.dot"), text, ...(hand ? [hand] : situation.live && !mine ? [take] : []));
      this.steers.className = `chip ${mine ? "good" : "warn"}`;
    });
  }

  show(visible: boolean): void {
    for (const corner of this.all) corner.hidden = !visible;
  }

  frame(seconds: number): void {
    if (seconds > 0) this.rate += 0.05 * (1 / seconds - this.rate);
    this.wait -= seconds;
    if (this.wait > 0) return;
    this.wait = 0.2;
    const { moment, welcome } = this.studio.live;
    if (!moment || !welcome) return;
    const late = this.steering.latency.milliseconds;
    this.speed.className = `chip speed ${late === null ? "" : late < 100 ? "good" : late < 200 ? "warn" : "bad"}`;
    const { all, drawn } = this.studio.live.crowdSize,
      some = this.studio.live.budget.most < all;
    this.few.hidden = !some;
    this.pinned.hidden = !this.studio.live.pinned;
    if (some) this.few.textContent = `${drawn + 1} of ${all + 1} characters drawn`;
    this.speed.replaceChildren(
      h("i.dot"),
      late === null ? "" : h("strong", `${Math.round(late)} ms`), // from a key to the picture, once one was pressed
      h("span", `${Math.round(this.rate)} fps`),
      h("span", `step ${moment.before.milliseconds.toFixed(1)} ms`),
    );
    const frame = moment.before.frames[0];
    const clip = welcome.clips.find((one) => frame >= one.start && frame < one.stop);
    this.clip.replaceChildren(
      clip ? h("strong", clip.name) : "no clip",
      clip ? ` ${((frame - clip.start) / welcome.frame_rate).toFixed(2)} s` : "",
    );
  }
}

function lasting(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
