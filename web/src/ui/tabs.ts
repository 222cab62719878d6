// Tabs as the ARIA practices describe them: arrows move between them, each shows its panel.
export class Tabs {
  private readonly tabs: HTMLButtonElement[];

  constructor(list: HTMLElement) {
    this.tabs = Array.from(list.querySelectorAll<HTMLButtonElement>("[role=tab]"));
    this.tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.show(tab.dataset.panel ?? ""));
      tab.addEventListener("keydown", (event) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (step === 0) return;
        event.preventDefault();
        event.stopPropagation();
        const next = this.tabs[(i + step + this.tabs.length) % this.tabs.length];
        this.show(next.dataset.panel ?? "");
        next.focus();
      });
    });
  }

  show(panel: string): void {
    for (const tab of this.tabs) {
      const on = tab.dataset.panel === panel;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      const body = document.getElementById(tab.dataset.panel ?? "");
      if (body) body.hidden = !on;
    }
  }
}
