/** Roles on the figure: point at a joint to see what it is, click it to say what it should be. */
import { button, h } from "../ui/elements";
import type { ClipDock } from "./clip_dock";
import type { ClipStage } from "./clip_stage";
import type { FileReport } from "./messages";
import type { Store } from "./store";
import "./roles.css";

const FINGERS = /_(thumb|index|middle|ring|little)_/;

export class RoleEditor {
  private readonly label = h("div.joint-label", { hidden: true });
  private popup: HTMLElement | null = null;
  open = false; // whether this panel is shown

  constructor(
    private readonly store: Store,
    private readonly stage: ClipStage,
    private readonly dock: ClipDock,
    canvas: HTMLElement,
  ) {
    document.body.append(this.label);
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.point(null));
    let down: [number, number] = [0, 0];
    canvas.addEventListener("pointerdown", (event) => {
      down = [event.clientX, event.clientY];
      this.close();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!this.open || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const joint = this.stage.jointAt(event);
      if (joint >= 0) this.ask(joint);
    });
  }

  /** Show the joints on the figure while roles are looked at. */
  active(on: boolean): void {
    this.dock.set("joints", on);
    if (!on) this.close();
  }

  close(): void {
    this.popup?.remove();
    this.popup = null;
  }

  private point(event: PointerEvent | null): void {
    const joint = event && this.open ? this.stage.jointAt(event) : -1;
    this.stage.hovered = joint;
    this.label.hidden = joint < 0;
    if (joint < 0 || !event) return;
    const role = this.roleOf(joint);
    this.label.replaceChildren(
      h("strong", this.stage.clip!.about.skeleton.names[joint]),
      ` ${role ? words(role) : "no role"}`,
    );
    this.label.style.transform = `translate(${event.clientX + 14}px, ${event.clientY - 30}px)`;
  }

  private roleOf(joint: number): string {
    const roles = this.stage.clip?.about.skeleton.roles ?? {};
    return Object.keys(roles).find((role) => roles[role] === joint) ?? "";
  }

  /** A list of roles beside a joint. */
  private ask(joint: number): void {
    this.close();
    const name = this.stage.clip!.about.skeleton.names[joint],
      now = this.roleOf(joint);
    const pick = h(
      "select.field",
      { size: 9, "aria-label": `Role of ${name}` },
      h("option", { value: "", selected: !now }, "no role"),
      ...this.options(now),
    ) as HTMLSelectElement;
    const [x, y] = this.stage.onScreen(joint);
    const give = () => {
      this.close();
      this.assign(name, now, pick.value);
    };
    pick.addEventListener("dblclick", give);
    this.popup = h(
      "div.card.role-popup",
      {
        role: "dialog",
        "aria-label": `Role of ${name}`,
        onkeydown: (event: KeyboardEvent) => {
          if (event.key === "Escape") this.close();
          if (event.key === "Enter") give();
          event.stopPropagation();
        },
      },
      h("div", h("strong", name), h("div.note", now ? `is ${words(now)}` : "has no role")),
      pick,
      h(
        "div.row",
        button("Set role", give, { kind: "small primary" }),
        button("Cancel", () => this.close(), { kind: "small quiet" }),
      ),
    );
    this.popup.style.left = `${Math.min(Math.max(x + 18, 80), innerWidth - 280)}px`;
    this.popup.style.top = `${Math.min(Math.max(y - 90, 12), innerHeight - 330)}px`;
    document.body.append(this.popup);
    pick.focus();
  }

  private options(now: string): HTMLElement[] {
    return (this.store.project?.roles ?? [])
      .filter((role) => !FINGERS.test(role) || role === now)
      .map((role) => h("option", { value: role, selected: role === now }, words(role)));
  }

  /** Write the role into the recipe, for all files of the rig. */
  private assign(joint: string, before: string, role: string): void {
    if (role === before) return;
    const index = this.store.sourceOf(this.store.selected),
      source = index === null ? null : this.store.recipe?.source[index];
    if (!source || index === null) return;
    const roles: Record<string, string> = { ...source.roles };
    if (before) roles[before] = "";
    if (role) roles[role] = joint;
    void this.store.edit({ type: "set", at: ["source", index, "roles"], value: roles });
  }

  /** All roles with the joints they have, to be chosen from lists. */
  table(report: FileReport): HTMLElement {
    const index = this.store.sourceOf(report.path),
      source = index === null ? null : this.store.recipe?.source[index];
    const forced = source?.roles ?? {};
    const shown = (this.store.project?.roles ?? []).filter((role) => !FINGERS.test(role) && role !== "root");
    const rows = shown.map((role) => {
      const joint = report.roles[role] ?? "",
        missing = report.missing_roles.includes(role);
      const field = h(
        "select.field",
        {
          "data-key": `role:${role}`,
          "aria-label": words(role),
          "aria-invalid": String(missing),
          disabled: index === null,
          onchange: () => {
            void this.store.edit({
              type: "set",
              at: ["source", index!, "roles"],
              value: { ...forced, [role]: field.value },
            });
          },
        },
        h("option", { value: "" }, missing ? "needed" : "none"),
        ...report.joint_names.map((name) => h("option", { value: name, selected: name === joint }, name)),
      ) as HTMLSelectElement;
      return h("label.role", { className: role in forced ? "role forced" : "role" }, h("span", words(role)), field);
    });
    const reset =
      Object.keys(forced).length && index !== null
        ? button(
            "Back to what was found",
            () => void this.store.edit({ type: "remove", at: ["source", index, "roles"] }),
            { kind: "small quiet" },
          )
        : null;
    return h(
      "div.role-table",
      h("p.note", "Click a joint on the figure, or choose here. Blue joints have a role, amber ones have none."),
      reset,
      h("div.role-grid", ...rows),
    );
  }
}

export function words(role: string): string {
  return role.replace(/_/g, " ");
}
