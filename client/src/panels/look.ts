/** What is drawn for the characters, how finely, and the user's own file in place of the first. */
import { QUALITIES, type Quality, type Viewport } from "../scene/viewport";
import type { BodyKind } from "../scene/shape";
import type { Studio } from "../studio";
import { button, h, segments } from "../ui/elements";
import type { FitEditor } from "./fit";

const QUALITY = "kinematch-quality"; // where the browser keeps the chosen one
const BODIES = [
  ["person", "Person"],
  ["mannequin", "Mannequin"],
] as const satisfies readonly (readonly [BodyKind, string])[];

/** The file that the first character wears, or a choice of what stands for it. */
export function showWorn(row: HTMLElement, studio: Studio, fit: FitEditor): void {
  const { character, live } = studio;
  const pick = h("input", {
    type: "file",
    accept: ".glb,.vrm",
    hidden: true,
    onchange: () => {
      if (pick.files?.[0]) void character.wear(pick.files[0]);
    },
  }) as HTMLInputElement;
  const body = segments(BODIES, live.body, (kind) => (live.body = kind), "Body");
  body.classList.add("fill");
  const worn = h(
    "div.row",
    h("span.name", character.name ?? ""),
    button("Take off", () => void character.takeOff(), { kind: "small", icon: "reset" }),
    studio.serverless ? null : button("Fit", () => void fit.show(!fit.open), { kind: "small" }),
  );
  const figures = (live.welcome?.figures ?? []).map((name) =>
    button(name, () => void character.wearFigure(name), { kind: "small quiet" }),
  );
  row.replaceChildren(
    ...(character.name ? [worn] : [body]),
    h(
      "p.note",
      studio.serverless
        ? "Your own: drop a GLB or VRM on the page. It stays on this machine."
        : character.name
          ? "The server retargets the motion to it; its feet stand on its own legs. Fit corrects its roles and rest pose."
          : "Or your own: drop a GLB or VRM on the page, or try one of these.",
    ),
    h(
      "div.row",
      { style: "flex-wrap:wrap" },
      ...figures,
      button("Use a GLB or VRM", () => pick.click(), { kind: "small" }),
      pick,
    ),
  );
}

/** How finely the stage is drawn; the choice is kept. */
export function qualityRow(viewport: Viewport): HTMLElement {
  const select = h(
    "select.field",
    {
      "aria-label": "Picture quality",
      onchange: () => {
        viewport.quality = select.value as Quality;
        try {
          localStorage.setItem(QUALITY, select.value);
        } catch {
          // storage may be forbidden; then the choice lasts for the page
        }
      },
    },
    ...QUALITIES.map((quality) => h("option", { value: quality }, quality[0].toUpperCase() + quality.slice(1))),
  ) as HTMLSelectElement;
  select.value = viewport.quality;
  return h("label.row", h("span.name", "Picture quality"), select);
}

/** The quality of the page's address, or the one that was chosen last. */
export function findQuality(): Quality {
  let kept = new URLSearchParams(location.search).get("quality");
  try {
    kept ??= localStorage.getItem(QUALITY);
  } catch {
    // as above
  }
  return QUALITIES.find((quality) => quality === kept) ?? "auto";
}
