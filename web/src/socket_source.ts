// The live source: a WebSocket to the server the page came from, opened again whenever it breaks. Whatever the page asks
// for carries the key of its own address; without it the server refuses.
import { decodeFrame, parseMessage, type Command } from "./protocol";
import type { Source, SourceListener } from "./source";

const LONGEST_WAIT = 8; // seconds between two attempts

export class SocketSource implements Source {
  private socket: WebSocket | null = null;
  private listener: SourceListener | null = null;
  private failures = 0;

  private readonly address: string;
  private readonly key: string;

  constructor(page: Location) {
    this.key = new URLSearchParams(page.search).get("key") ?? "";
    this.address = `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}/ws?key=${encodeURIComponent(this.key)}`;
  }

  start(listener: SourceListener): void {
    this.listener = listener;
    this.connect();
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  problemAddress(pane: number): string {
    return `/problem.hdf5?pane=${pane}&key=${encodeURIComponent(this.key)}`;
  }

  private connect(): void {
    const listener = this.listener;
    if (!listener) return;
    listener.connection({ state: "connecting" });
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      listener.connection({ state: "open" });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === "string") {
        const message = parseMessage(event.data);
        if (message) listener.message(message);
      } else {
        const frame = decodeFrame(event.data);
        if (frame) listener.frame(frame);
      }
    };
    socket.onclose = () => {
      const wait = Math.min(LONGEST_WAIT, 0.5 * 2 ** this.failures++);
      listener.connection({ state: "lost", retrySeconds: wait });
      setTimeout(() => this.connect(), 1000 * wait);
    };
  }
}
