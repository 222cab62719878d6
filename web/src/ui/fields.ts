// Rows of a form: a name, a control, a unit.
import { el } from "./dom";

let made = 0;

function row(label: string, control: HTMLElement, unit: string, hint = ""): HTMLElement {
  control.id ||= `field-${++made}`;
  const words = el("label", { for: control.id, title: hint || undefined }, label);
  return el("div", { class: "field" }, words, control, el("span", { class: "unit" }, unit));
}

// A field that the server also writes to; what is being edited is left alone.
export interface Field<T> {
  element: HTMLElement;
  value: T;
}

export interface RangeField extends Field<number> {
  lowest: number;
}

export interface NumberOptions {
  id?: string;
  unit?: string;
  min?: number;
  max?: number;
  step?: number | "any";
  hint?: string;
  empty?: string; // what stands there without a number
  cleared?: () => void; // the number was taken away
}

export function numberField(label: string, options: NumberOptions, changed: (value: number) => void): Field<number> {
  const { id, unit = "", min, max, step = "any", hint = "", empty, cleared } = options;
  const input = el("input", { type: "number", id, min, max, step, placeholder: empty, inputmode: "decimal" });
  input.addEventListener("change", () => {
    if (!input.checkValidity()) input.reportValidity();
    else if (input.value !== "") changed(input.valueAsNumber);
    else cleared?.();
  });
  return {
    element: row(label, input, unit, hint),
    get value() {
      return input.valueAsNumber;
    },
    set value(x: number) {
      if (document.activeElement !== input) input.value = Number.isFinite(x) ? String(Number(x.toPrecision(6))) : "";
    },
  };
}

// A slider with its number beside it.
export function rangeField(
  label: string,
  options: NumberOptions & { min: number; max: number },
  changed: (value: number) => void,
): RangeField {
  const { id, unit = "", min, max, step = "any", hint = "" } = options;
  const slider = el("input", { type: "range", id, min, max, step });
  const figure = el("output", { class: "figure" });
  const show = () => (figure.textContent = `${Number(slider.valueAsNumber.toPrecision(3))}${unit}`);
  slider.addEventListener("input", show);
  slider.addEventListener("input", () => changed(slider.valueAsNumber));
  const element = row(label, slider, "", hint);
  element.classList.add("range");
  element.lastElementChild?.replaceWith(figure);
  return {
    element,
    get value() {
      return slider.valueAsNumber;
    },
    set value(x: number) {
      if (slider.matches(":active")) return;
      slider.value = String(x);
      show();
    },
    get lowest() {
      return Number(slider.min);
    },
    set lowest(x: number) {
      slider.min = String(x);
    },
  };
}

export function choiceField(
  label: string,
  id: string,
  choices: string[],
  changed: (value: string) => void,
  hint = "",
): Field<string> & { offer(choices: string[]): void } {
  const select = el("select", { id, change: () => changed(select.value) });
  const offer = (list: string[]) => {
    const before = select.value;
    select.replaceChildren(...list.map((choice) => el("option", { value: choice }, choice)));
    if (list.includes(before)) select.value = before;
  };
  offer(choices);
  return {
    element: row(label, select, "", hint),
    offer,
    get value() {
      return select.value;
    },
    set value(x: string) {
      if (!Array.from(select.options).some((option) => option.value === x))
        select.append(el("option", { value: x }, x));
      select.value = x;
    },
  };
}

export function switchField(label: string, id: string, changed: (on: boolean) => void, hint = ""): Field<boolean> {
  const box = el("input", { type: "checkbox", id, change: () => changed(box.checked) });
  return {
    element: row(label, box, "", hint),
    get value() {
      return box.checked;
    },
    set value(on: boolean) {
      box.checked = on;
    },
  };
}

export function section(title: string, ...rows: (HTMLElement | null)[]): HTMLElement {
  return el("section", { class: "form" }, el("h2", {}, title), ...rows);
}
