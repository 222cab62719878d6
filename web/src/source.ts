// Where frames come from: a running server (socket_source.ts) or a file inside the page (replay.ts).
import type { Command, Frame, ServerMessage } from "./protocol";

// A lost connection is tried again by itself.
export type Connection = { state: "connecting" } | { state: "open" } | { state: "lost"; retrySeconds: number };

export interface SourceListener {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  connection(connection: Connection): void;
}

export interface Source {
  // Begins to deliver: hello first, then a scene and a state, then frames.
  start(listener: SourceListener): void;
  // Commands that make no sense for a source (shooting into a recording) are ignored.
  send(command: Command): void;
  // Address of the present step's problem as an FCLIB file, or null where there is none.
  problemAddress(pane: number): string | null;
}
