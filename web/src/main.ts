// The page: one source, and panels that follow it.
import "./style.css";
import { createCharts } from "./charts";
import type { Panel } from "./panel";
import { recordingOf } from "./recording";
import { ReplaySource } from "./replay";
import { SocketSource } from "./socket_source";
import type { Source, SourceListener } from "./source";

function chooseSource(): Source {
  const recording = recordingOf(document);
  if (recording) return new ReplaySource(recording);
  return new SocketSource(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
}

function tell(panels: Panel[]): SourceListener {
  const line = document.getElementById("connection") as HTMLElement;
  return {
    connection: (c) => {
      line.textContent = c.state === "lost" ? `connection lost, next attempt in ${c.retrySeconds} s` : c.state;
    },
    frame: (frame) => panels.forEach((panel) => panel.frame?.(frame)),
    message: (message) => {
      for (const panel of panels) {
        if (message.type === "hello") panel.hello?.(message);
        if (message.type === "scene") panel.scene?.(message);
        if (message.type === "state") panel.state?.(message);
        if (message.type === "loop") panel.loop?.(message);
        if (message.type === "body") panel.body?.(message);
        if (message.type === "contact") panel.contact?.(message);
      }
    },
  };
}

const source = chooseSource();
const charts = createCharts(document.getElementById("charts") as HTMLElement, (time) => source.send({ type: "seek", time }));
const panels: Panel[] = [charts];
source.start(tell(panels));
