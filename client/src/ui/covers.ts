/** What covers the stage while there is nothing to show: connecting, or the line is lost. */
import type { Live } from "../live";
import { h } from "./elements";

export class Covers {
  /** Resolved when the first pose is there. */
  readonly lifted: Promise<void>;
  private readonly title = h("h2");
  private readonly text = h("p");
  private readonly cover = h(
    "div.cover",
    { role: "status" },
    h("div.card", this.title, this.text, h("div.progress.unknown", h("i"))),
  );
  private timer = 0;

  constructor(
    stage: HTMLElement,
    private readonly live: Live,
  ) {
    stage.append(this.cover);
    this.say("Getting ready", "Waiting for the first pose.");
    live.connection.onState((state, seconds) => {
      clearInterval(this.timer);
      if (state === "open") this.say("Getting ready", "Connected; waiting for the database.");
      if (state !== "lost") return;
      let left = Math.ceil(seconds);
      const tell = () =>
        this.say(
          "The server cannot be reached",
          `It was closed, or the line is lost. Start it again with “kinematch play”; this page goes on by itself. Next try ${left > 0 ? `in ${left} s` : "now"}.`,
        );
      tell();
      this.timer = window.setInterval(() => {
        left--;
        tell();
      }, 1000);
    });
    this.lifted = new Promise((resolve) =>
      live.connection.onFrame(() => {
        if (this.cover.hidden || !this.live.welcome) return;
        this.cover.hidden = true;
        resolve();
      }),
    );
  }

  private say(title: string, text: string): void {
    this.title.textContent = title;
    this.text.textContent = text;
    this.cover.hidden = false;
  }
}
