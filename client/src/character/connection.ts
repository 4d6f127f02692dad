/** A server in the page: it answers the panels as Studio's server would, from a step that runs here. */
import type { PageMessage, Situation } from "../messages";
import { Connection } from "../stream/connection";
import { explain } from "./explain";
import type { Loaded } from "./loaded";
import { RATE, Simulation } from "./simulation";

const LONGEST_FRAME = 0.1; // s that a page which was hidden makes up for
const CLIENT = "page";

type Terrain = Situation["terrain"];

export class LocalConnection extends Connection {
  readonly simulation: Simulation;
  private playing = true;
  private terrain: Terrain = "flat";
  private shown = 0; // step
  private owed = 0; // s that are not stepped yet

  constructor(readonly own: Loaded) {
    super();
    this.simulation = new Simulation(own);
    this.client = CLIENT;
  }

  override open(): void {
    this.tell("open", 0);
    this.deliver({ ...this.own.about.page.welcome, client: CLIENT, situation: this.situation });
    this.advance(1 / RATE);
  }

  /** Time goes by in the page. */
  advance(seconds: number): void {
    if (!this.playing) return;
    this.owed = Math.min(this.owed + seconds, LONGEST_FRAME);
    while (this.owed >= 1 / RATE) {
      this.owed -= 1 / RATE;
      const frame = this.simulation.advance();
      this.shown = frame.step;
      this.deliverFrame(frame, new ArrayBuffer(0));
    }
  }

  private get situation(): Situation {
    const { simulation } = this,
      { pilot } = simulation;
    return {
      type: "situation", playing: this.playing, live: true, step: this.shown, oldest: simulation.oldest,
      newest: Math.max(simulation.step, 0), how: pilot.how, keypoints: pilot.keypoints, loops: pilot.loops,
      crowd: simulation.crowd, terrain: this.terrain, comparing: false, steers: CLIENT, asking: "", watchers: [],
    }; // prettier-ignore
  }

  override send(message: PageMessage | ArrayBuffer): boolean {
    if (message instanceof ArrayBuffer) return false;
    const { simulation } = this,
      { pilot } = simulation;
    switch (message.type) {
      case "stick":
        pilot.stick = message;
        if (message.x || message.y) this.resume();
        return true;
      case "steer_by":
        pilot.how = message.how;
        pilot.begin();
        break;
      case "follow_path":
        pilot.follow(message.keypoints, message.loops ?? true);
        break;
      case "act":
        simulation.act(message.action ?? "");
        return true;
      case "set_crowd":
        simulation.crowd = message.count;
        break;
      case "set_terrain":
        this.stand(message.kind);
        break;
      case "open_motion":
        simulation.source = Math.max(0, this.own.about.sources.indexOf(message.name));
        this.own.about.page.welcome.motion = message.name;
        break;
      case "start_over":
        simulation.startOver();
        break;
      case "pause":
        this.playing = false;
        break;
      case "resume":
        this.resume(message.step ?? undefined);
        break;
      case "scrub":
        this.scrub(message.step);
        return true;
      case "explain":
        this.explain(message.step, message.count ?? 8, message.request ?? 0);
        return true;
      default:
        return false;
    }
    this.deliver(this.situation);
    return true;
  }

  private stand(kind: Terrain): void {
    this.terrain = kind;
    const ground = this.own.about.page.grounds[kind] ?? null;
    this.simulation.stand(ground);
    if (ground) this.deliver(ground);
  }

  private resume(step?: number): void {
    if (this.playing) return;
    if (step !== undefined && step < this.simulation.step) this.simulation.goBack(step);
    this.playing = true;
    this.shown = this.simulation.step;
    this.deliver(this.situation);
  }

  private scrub(step: number): void {
    const { frame } = this.simulation.at(step);
    this.playing = false;
    this.shown = frame.step;
    this.deliver(this.situation);
    this.deliverFrame(frame, new ArrayBuffer(0));
  }

  private explain(step: number, count: number, request: number): void {
    const search = this.simulation.searchBefore(step);
    const found = search && explain(this.own, search, this.simulation.source, count, request);
    // later, as from a server: whoever asks learns the number of the question first
    queueMicrotask(() => {
      if (found) this.deliver(found);
      else {
        const message = search ? "this motion has no frames to compare" : "no search is kept";
        this.deliver({ type: "error_message", message, about: "explain", request });
      }
    });
  }
}
