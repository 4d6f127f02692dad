/** The line to the server: one WebSocket that comes back by itself. */
import { isPoseFrame, readPoseFrame, type PageMessage, type PoseFrame, type ServerMessage } from "../messages";

type Handlers = { [K in ServerMessage["type"]]: (message: Extract<ServerMessage, { type: K }>) => void };
export type LineState = "connecting" | "open" | "lost";

const FIRST_WAIT = 0.4,
  LONGEST_WAIT = 5; // s between attempts

export class Connection {
  state: LineState = "connecting";
  client = ""; // this page's number, which all pages are told
  private secret = ""; // and what it alone is told
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private readonly handlers: { [type: string]: ((message: never) => void)[] } = {};
  private readonly frameHandlers: ((frame: PoseFrame, buffer: ArrayBuffer) => void)[] = [];
  private readonly binaryHandlers: ((buffer: ArrayBuffer) => void)[] = [];
  private readonly stateHandlers: ((state: LineState, seconds: number) => void)[] = [];

  constructor() {
    // a page that the browser keeps after it was left would go on steering
    window.addEventListener("pagehide", () => this.socket?.close());
  }

  on<K extends ServerMessage["type"]>(type: K, handler: Handlers[K]): void {
    (this.handlers[type] ??= []).push(handler as (message: never) => void);
  }

  onFrame(handler: (frame: PoseFrame, buffer: ArrayBuffer) => void): void {
    this.frameHandlers.push(handler);
  }

  /** Binary messages other than poses. */
  onBinary(handler: (buffer: ArrayBuffer) => void): void {
    this.binaryHandlers.push(handler);
  }

  /** `seconds` until the next attempt while the line is lost. */
  onState(handler: (state: LineState, seconds: number) => void): void {
    this.stateHandlers.push(handler);
  }

  /** Proves to the server which page sends a request: only the one that steers changes things. */
  get identity(): Record<string, string> {
    return { "x-kinematch-secret": this.secret };
  }

  open(): void {
    const address = new URL("stream", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.hash = "";
    // a subprotocol, since browsers send no headers of ours here and addresses are written to logs
    const resumes = this.secret ? [`kinematch-secret.${this.secret}`] : [];
    const socket = new WebSocket(address, ["kinematch", ...resumes]);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.tell("open", 0);
    };
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.tell("lost", this.wait);
      setTimeout(() => this.open(), this.wait * 1000);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  protected tell(state: LineState, seconds: number): void {
    this.state = state;
    for (const handler of this.stateHandlers) handler(state, seconds);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      if (!isPoseFrame(data)) {
        for (const handler of this.binaryHandlers) handler(data);
        return;
      }
      return this.deliverFrame(readPoseFrame(data), data);
    }
    const message = JSON.parse(data) as ServerMessage;
    if (message.type === "welcome") [this.client, this.secret] = [message.client, message.secret];
    this.deliver(message);
  }

  protected deliver(message: ServerMessage): void {
    for (const handler of this.handlers[message.type] ?? []) handler(message as never);
  }

  protected deliverFrame(frame: PoseFrame, buffer: ArrayBuffer): void {
    for (const handler of this.frameHandlers) handler(frame, buffer);
  }

  /** Let the line go; it comes back as after any loss. */
  drop(): void {
    this.socket?.close();
  }

  /** Whether it could be sent; what is said while the line is lost is lost too. */
  send(message: PageMessage | ArrayBuffer): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(message instanceof ArrayBuffer ? message : JSON.stringify(message));
    return true;
  }
}
