// What is drawn, and from where: tools for the pointer, the camera, and a menu of layers.
import type { Direction } from "../view/camera";
import { COLOURINGS, isSoftQuantity, type Colouring } from "../view/quantities";
import type { Stage } from "../view/stage";
import { el, iconButton } from "./dom";
import type { Pointer, Tool } from "./pointer";

type Switch = "points" | "forces" | "chains" | "cones" | "joints" | "shadows" | "occlusion" | "grid";
const SWITCHES: [Switch, string][] = [
  ["points", "Contact points"],
  ["forces", "Contact forces"],
  ["chains", "Chains of force"],
  ["cones", "Friction cones"],
  ["joints", "Joints"],
  ["shadows", "Shadows"],
  ["occlusion", "Ambient occlusion"],
  ["grid", "Ground grid"],
];
const TOOLS: [Tool, string, string, string][] = [
  ["look", "Look: drag turns the view, a click selects", "1", "Look"],
  ["pull", "Pull: drag a body with a spring (or hold shift)", "2", "Pull"],
  ["shoot", "Shoot: click to throw a block there", "3", "Shoot"],
];
const VIEWS: [Direction, string][] = [
  ["iso", "Aslant"],
  ["front", "Front"],
  ["top", "Top"],
];

export class ViewMenu {
  private readonly boxes = new Map<Switch, HTMLInputElement>();
  private readonly tools = new Map<Tool, HTMLButtonElement>();
  private readonly colours = el("select", {
    id: "colouring",
    change: () => this.colour(this.colours.value as Colouring),
  });
  private readonly menu = el("div", { id: "view-menu", class: "popover", hidden: true });
  private readonly opener: HTMLButtonElement;
  private readonly followButton: HTMLButtonElement;
  private readonly toolGroup = el("div", { class: "group", role: "group", "aria-label": "What the pointer does" });

  constructor(
    host: HTMLElement,
    private readonly stage: Stage,
    private readonly pointer: Pointer,
  ) {
    for (const [tool, label, key, word] of TOOLS) {
      const button = iconButton(tool, label, () => pointer.use(tool), key);
      button.append(el("span", { class: "word" }, word));
      button.id = `tool-${tool}`;
      this.tools.set(tool, button);
      this.toolGroup.append(button);
    }
    pointer.onTool = () => this.refresh();
    const fit = iconButton("fit", "Fit to scene", () => stage.fit(), "f");
    fit.id = "fit";
    this.followButton = iconButton("follow", "Follow the selected body", () => this.toggleFollow(), "o");
    this.followButton.id = "follow";
    this.opener = iconButton("layers", "What is drawn", () => this.toggle(), "v");
    this.opener.id = "layers";
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.setAttribute("aria-controls", "view-menu");
    this.fill();
    host.append(this.toolGroup, el("div", { class: "group" }, fit, this.followButton, this.opener), this.menu);
    stage.onShown = () => this.refresh();
    document.addEventListener("pointerdown", (event) => {
      if (!this.menu.hidden && !host.contains(event.target as Node)) this.toggle(false);
    });
    this.refresh();
  }

  private fill(): void {
    const rows = Object.entries(COLOURINGS);
    this.colours.append(...rows.map(([name, row]) => el("option", { value: name }, row.word)));
    this.menu.append(el("label", { class: "row" }, el("span", {}, "Colour by"), this.colours));
    for (const [name, label] of SWITCHES) {
      const box = el("input", { type: "checkbox", id: `show-${name}`, change: () => this.switch(name, box.checked) });
      this.boxes.set(name, box);
      this.menu.append(el("label", { class: "row" }, el("span", {}, label), box));
    }
    const buttons = VIEWS.map(([direction, word]) =>
      el("button", { type: "button", class: "quiet", click: () => this.stage.fit(direction) }, word),
    );
    this.menu.append(el("div", { class: "row views", role: "group", "aria-label": "View from" }, ...buttons));
  }

  toggle(open = this.menu.hidden): void {
    this.menu.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
  }

  toggleFollow(): void {
    this.stage.follow(!this.stage.following);
    this.refresh();
  }

  private colour(colouring: Colouring): void {
    this.stage.shown.colouring = colouring;
    this.stage.shown.scale.full = 0;
    this.stage.apply();
  }

  private switch(name: Switch, on: boolean): void {
    this.stage.shown[name] = on;
    if (name === "shadows" || name === "occlusion") this.stage.shadowsChosen = true;
    if (name === "chains" && on) this.stage.shown.points = this.stage.shown.forces = false; // they would hide them
    this.stage.apply();
    this.refresh();
  }

  // A recording can be looked at, not poked.
  allowPoking(allowed: boolean): void {
    this.toolGroup.hidden = !allowed;
  }

  add(row: HTMLElement): void {
    this.menu.append(row);
  }

  refresh(): void {
    this.colours.value = this.stage.shown.colouring;
    const soft = this.stage.panes.some((pane) => pane.hasSoft);
    for (const option of this.colours.options) option.disabled = isSoftQuantity(option.value as Colouring) && !soft;
    for (const [name, box] of this.boxes) box.checked = this.stage.shown[name];
    for (const [tool, button] of this.tools) button.setAttribute("aria-pressed", String(this.pointer.tool === tool));
    this.followButton.setAttribute("aria-pressed", String(this.stage.following));
    this.followButton.disabled = !this.stage.canFollow;
  }
}
