// Light or dark: as the system says, until the reader says otherwise.
const KEY = "cardhouse.theme";

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a page opened from disk may have no storage
  }
}

function store(choice: string): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // it then holds for this visit
  }
}

export function startTheme(button: HTMLButtonElement, changed: (dark: boolean) => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = stored();
  const dark = () => (chosen ? chosen === "dark" : system.matches);
  const apply = () => {
    document.documentElement.dataset.theme = dark() ? "dark" : "light";
    const other = dark() ? "Light colours" : "Dark colours";
    button.setAttribute("aria-label", other);
    button.title = `${other} (d)`;
    changed(dark());
  };
  button.addEventListener("click", () => {
    chosen = dark() ? "light" : "dark";
    store(chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
