/** Presets: settings with a name, kept on the server's machine as files that the library can load. */
import type { Studio } from "../studio";
import { button, h } from "../ui/elements";

export function presetRow(studio: Studio, side: () => "a" | "b", begin: () => void): HTMLElement {
  const { connection, live } = studio;
  const select = h("select.field", {
    style: "flex:1",
    "aria-label": "Preset",
    onchange: () => {
      if (select.value) {
        begin();
        connection.send({ type: "load_preset", name: select.value, side: side() });
      }
      buttons();
    },
  }) as HTMLSelectElement;
  const about = h("p.note", { hidden: true, "aria-live": "polite" });
  const name = h("input.field", {
    style: "flex:1",
    placeholder: "Name of the preset",
    maxLength: 64,
    "aria-label": "Name of the new preset",
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") keep();
      if (event.key === "Escape") naming(false);
    },
  }) as HTMLInputElement;
  const save = button("", () => naming(true), { icon: "save", kind: "icon", title: "Save these settings as a preset" });
  const fetchFile = button(
    "",
    () => {
      h("a", { href: `api/preset?name=${encodeURIComponent(select.value)}`, download: `${select.value}.toml` }).click();
    },
    { icon: "load", kind: "icon", title: "Download the preset as a file" },
  );
  fetchFile.firstElementChild!.setAttribute("style", "transform:rotate(180deg)");
  const remove = button(
    "",
    () => {
      connection.send({ type: "delete_preset", name: select.value });
    },
    { icon: "trash", kind: "icon", title: "Delete the preset" },
  );
  const confirm = button("Save", () => keep(), { kind: "primary" });
  const plain = h("div.row", select, save, fetchFile, remove),
    asking = h(
      "div.row",
      { hidden: true },
      name,
      confirm,
      button("Cancel", () => naming(false), { kind: "quiet" }),
    );

  function naming(on: boolean): void {
    plain.hidden = on;
    asking.hidden = !on;
    if (on) name.focus();
  }
  function keep(): void {
    if (!name.value.trim()) return name.focus();
    connection.send({ type: "save_preset", name: name.value.trim(), side: side() });
    wanted = name.value.trim();
    name.value = "";
    naming(false);
  }
  function buttons(): void {
    fetchFile.disabled = !select.value;
    remove.disabled = !live.presets?.names.includes(select.value);
    about.textContent = live.presets?.own[select.value] ?? "";
    about.hidden = !about.textContent;
  }
  let wanted = "";
  live.onChange((change) => {
    if (change !== "presets" || !live.presets) return;
    const before = wanted || select.value;
    wanted = "";
    const { names, own } = live.presets,
      options = (all: string[]) => all.map((one) => h("option", { value: one }, one));
    select.replaceChildren(
      h("option", { value: "" }, "Presets"),
      h("optgroup", { label: "From Kinematch" }, ...options(Object.keys(own))),
      ...(names.length ? [h("optgroup", { label: "Yours" }, ...options(names))] : []),
    );
    select.value = before in own || names.includes(before) ? before : "";
    select.title = `Kept in ${live.presets.folder}`;
    buttons();
  });
  buttons();
  return h("div", plain, asking, about);
}
