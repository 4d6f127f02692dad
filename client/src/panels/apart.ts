/** How far apart those are drawn that are compared: a slider; the characters themselves stay where they are. */
import { h, range } from "../ui/elements";

export function apartRow(value: number, changed: (metres: number) => void): HTMLElement {
  const read = (metres: number) => `${metres.toFixed(1)} m`,
    number = h("output", read(value));
  const slider = range(
    { low: 0, high: 4, step: 0.1, value, label: "Distance between them", read },
    (metres) => {
      number.textContent = read(metres);
      changed(metres);
    },
  );
  return h(
    "div",
    { title: "How far apart they are drawn; it changes nothing about how they move" },
    h("label.row", h("span.name", "Distance between them"), number),
    slider,
  );
}
