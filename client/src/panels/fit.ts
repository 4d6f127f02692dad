/** The fit of a user's own character: which joint plays which role, and how its rest pose is turned. */
import type { WornCharacter } from "../scene/character";
import type { Studio } from "../studio";
import { button, h, switchRow } from "../ui/elements";
import { words } from "../workshop/roles";
import "../workshop/roles.css";

const FINGERS = /_(thumb|index|middle|ring|little)_/;
const TURNED = ["upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot"]; // parts of both sides
const MIDDLE = ["hips", "spine", "neck", "head"];
const TITLE = "Fit of the character"; // of messages
const AXES = ["x", "y", "z"] as const;

interface Fit {
  name: string;
  joints: string[];
  possible: string[]; // roles
  roles: Record<string, string>; // joint of each role, as it is used
  forced: Record<string, string>; // those that the user chose
  rest: Record<string, [number, number, number]>; // degrees
  missing: string[];
  problems: string[];
}

export class FitEditor {
  readonly element = h("div.group", { hidden: true });
  private fit: Fit | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly character: WornCharacter,
  ) {}

  get open(): boolean {
    return !this.element.hidden;
  }

  /** Show the fit of the character that was sent last, worn or not. */
  async show(on: boolean): Promise<void> {
    this.element.hidden = !on;
    this.character.rest = false;
    if (!on) return;
    try {
      this.fit = await this.studio.ask<Fit>("/api/character/fit");
      this.draw();
    } catch (error) {
      this.element.replaceChildren(h("p.note", String((error as Error).message ?? error)));
    }
  }

  private draw(): void {
    const fit = this.fit!;
    const rest = switchRow("Show its rest pose", this.character.rest, (on) => (this.character.rest = on), {
      title: "Arms should point sideways and legs down: all rotations count from here",
    });
    const changed = Object.keys(fit.forced).length + Object.keys(fit.rest).length > 0;
    this.element.replaceChildren(
      h("p.note", `Joints of ${fit.name} and the roles they play. What you change is remembered for this file.`),
      ...fit.problems.map((problem) => h("p.note", { style: "color:var(--bad)" }, problem)),
      rest,
      h("div.role-grid", { style: "grid-template-columns:minmax(0,1fr)" }, ...this.roles(fit)),
      h("p.note", "Turn parts of the rest pose, in degrees about X (its left), Y (up) and Z (ahead)."),
      h("div.role-grid", { style: "grid-template-columns:minmax(0,1fr)" }, ...this.turns(fit)),
      changed ? button("Back to what was found", () => void this.send({}, {}), { kind: "small quiet" }) : null!,
    );
  }

  private roles(fit: Fit): HTMLElement[] {
    return fit.possible
      .filter((role) => !FINGERS.test(role))
      .map((role) => {
        const missing = fit.missing.includes(role);
        const field = h(
          "select.field",
          {
            "aria-label": words(role),
            "aria-invalid": String(missing),
            onchange: () => void this.send({ ...fit.forced, [role]: field.value }, fit.rest),
          },
          h("option", { value: "" }, missing ? "needed" : "none"),
          ...fit.joints.map((name) => h("option", { value: name, selected: name === fit.roles[role] }, name)),
        ) as HTMLSelectElement;
        return h(
          "label.role",
          { className: role in fit.forced ? "role forced" : "role" },
          h("span", words(role)),
          field,
        );
      });
  }

  private turns(fit: Fit): HTMLElement[] {
    const sides = TURNED.flatMap((part) => [`left_${part}`, `right_${part}`]);
    return [...sides, ...MIDDLE]
      .filter((role) => role in fit.roles)
      .map((role) => {
        const fields = AXES.map((axis, k) => {
          const field = h("input.field", {
            type: "number",
            min: -180,
            max: 180,
            step: 5,
            value: String(fit.rest[role]?.[k] ?? 0),
            "aria-label": `${words(role)} about ${axis}`,
            onchange: () => {
              const turns = (fit.rest[role] ?? [0, 0, 0]).map((old, n) =>
                n === k ? Number(field.value) || 0 : old,
              ) as [number, number, number];
              void this.send(fit.forced, { ...fit.rest, [role]: turns });
            },
          }) as HTMLInputElement;
          return field;
        });
        return h(
          "div.role",
          {
            className: role in fit.rest ? "role forced" : "role",
            style: "grid-template-columns:96px repeat(3,minmax(0,1fr))",
          },
          h("span", words(role)),
          ...fields,
        );
      });
  }

  private async send(roles: Fit["forced"], rest: Fit["rest"]): Promise<void> {
    const shown = this.character.rest;
    try {
      await this.studio.ask("/api/character/fit", {
        method: "POST",
        body: JSON.stringify({ roles, rest }),
        headers: { "content-type": "application/json" },
      });
      this.studio.say("It fits, and the motion plays on it.", "good", TITLE);
    } catch (error) {
      this.studio.say(String((error as Error).message ?? error), "bad", TITLE);
    }
    await this.show(true);
    this.character.rest = shown;
    this.draw();
  }
}
