// The built-in scenes with their pictures; choosing one shows its parameters, and loads it.
import { number, title } from "../format";
import type { Panel } from "../panel";
import type { Command, GalleryEntry, HelloMessage, Parameter, SceneMessage } from "../protocol";
import { el, find, iconButton, setText } from "./dom";
import { thumbnail } from "./thumbnails";

// "scenes/table.json" -> "table"
const baseName = (name: string) => name.replace(/^.*[\\/]/, "").replace(/\.json$/, "");

function parameterControl(parameter: Parameter): HTMLInputElement | HTMLSelectElement {
  const id = `parameter-${parameter.name}`;
  const words = typeof parameter.words === "string" ? parameter.words.split("|") : (parameter.words ?? []);
  if (words.length > 0) {
    const select = el(
      "select",
      { id, name: parameter.name },
      ...words.map((word) => el("option", { value: word }, word)),
    );
    select.value = String(parameter.default);
    return select;
  }
  const input = el("input", {
    id,
    name: parameter.name,
    type: "number",
    value: parameter.default,
    min: parameter.lowest,
    max: parameter.highest,
  });
  input.step = parameter.whole ? "1" : "any";
  input.required = true;
  return input;
}

export class Gallery implements Panel {
  private readonly dialog = find<HTMLDialogElement>("gallery");
  private readonly opener = find<HTMLButtonElement>("open-gallery");
  private readonly list = el("div", { class: "cards", role: "list" });
  private readonly details = el("form", { class: "details", method: "dialog" });
  private scenes: GalleryEntry[] = [];
  private chosen = "";
  private current: SceneMessage | null = null;

  constructor(private readonly send: (command: Command) => void) {
    this.opener.addEventListener("click", () => this.open());
    const close = iconButton("close", "Close", () => this.dialog.close(), "escape");
    this.dialog.append(
      el("header", {}, el("h1", {}, "Scenes"), close),
      el("div", { class: "gallery-body" }, this.list, this.details),
    );
    this.details.addEventListener("submit", () => this.load());
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
  }

  open(): void {
    if (this.opener.disabled) return;
    if (!this.dialog.open) this.dialog.showModal();
    this.chooseCurrent();
  }

  private chooseCurrent(): void {
    const wanted = this.current?.scene ?? this.current?.name ?? "";
    this.choose(this.scenes.some((scene) => scene.name === wanted) ? wanted : (this.scenes[0]?.name ?? ""));
    this.list.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
  }

  hello(message: HelloMessage): void {
    this.scenes = message.scenes;
    this.opener.disabled = message.mode !== "live" || message.scenes.length === 0;
    this.list.replaceChildren(...message.scenes.map((scene) => this.card(scene)));
    this.chosen = "";
  }

  scene(message: SceneMessage): void {
    if (message.pane !== 0) return;
    this.current = message;
    this.addOwn(message);
    setText(find("scene-name"), title(message.name));
    document.title = `${title(message.name)} \u2013 Cardhouse`;
    const moving = message.bodies.filter((body) => !body.fixed).length;
    const entry = this.scenes.find((scene) => scene.name === message.name);
    const count = `${moving} ${moving === 1 ? "body" : "bodies"}`;
    setText(find("scene-summary"), entry ? `${entry.title} \u00b7 ${count}` : count);
    if (this.dialog.open && !this.chosen) this.chooseCurrent();
  }

  // The scene of the command line, which one may want back.
  private addOwn(message: SceneMessage): void {
    const name = message.scene ?? message.name;
    if (this.opener.disabled || this.scenes.some((scene) => scene.name === name)) return;
    const own = { name, title: `your scene, ${message.name}` };
    this.scenes = [own, ...this.scenes];
    this.list.prepend(this.card(own));
  }

  private card(scene: GalleryEntry): HTMLElement {
    const button = el("button", {
      type: "button",
      class: "card",
      "data-scene": scene.name,
      click: () => this.choose(scene.name),
    });
    button.append(thumbnail(scene.name), el("strong", {}, title(baseName(scene.name))), el("span", {}, scene.title));
    button.addEventListener("dblclick", () => this.load());
    return el("div", { role: "listitem" }, button);
  }

  private choose(name: string): void {
    const scene = this.scenes.find((entry) => entry.name === name);
    this.chosen = scene?.name ?? "";
    for (const card of this.list.querySelectorAll<HTMLElement>(".card"))
      card.setAttribute("aria-pressed", String(card.dataset.scene === this.chosen));
    this.details.replaceChildren();
    if (!scene) return;
    const rows = (scene.parameters ?? []).map((parameter) => this.parameterRow(parameter));
    const start = el("button", { type: "submit", class: "primary wide", id: "load" }, "Open this scene");
    this.details.append(
      el("h2", {}, title(baseName(scene.name))),
      el("p", { class: "note" }, scene.title),
      ...rows,
      start,
    );
  }

  private parameterRow(parameter: Parameter): HTMLElement {
    const control = parameterControl(parameter);
    if (this.current && (this.current.scene ?? this.current.name) === this.chosen) {
      const now = this.current.parameters?.[parameter.name];
      if (now !== undefined) control.value = String(now);
    }
    const range = parameter.lowest !== undefined && parameter.highest !== undefined && !parameter.words;
    const hint = range
      ? `${parameter.help ?? ""} (${number(parameter.lowest ?? 0)} to ${number(parameter.highest ?? 0)})`
      : (parameter.help ?? "");
    return el(
      "div",
      { class: "parameter" },
      el("label", { for: control.id }, parameter.name),
      control,
      el("p", { class: "hint" }, hint),
    );
  }

  private load(): void {
    const parameters: Record<string, number | string> = {};
    for (const control of this.details.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
      parameters[control.name] = control instanceof HTMLInputElement ? control.valueAsNumber : control.value;
    }
    const any = Object.keys(parameters).length > 0;
    if (this.chosen) this.send({ type: "load", scene: this.chosen, ...(any ? { parameters } : {}) });
    if (this.dialog.open) this.dialog.close();
  }
}
