/** Files dropped on the page: to the open panel, to the figure on the stage, or to the workshop. */
import type { WornCharacter } from "../scene/character";
import { registeredPanels, type Panel, type Studio } from "../studio";
import { collectFiles, findEntries } from "./dropped_files";
import { h } from "./elements";

export function acceptDrops(studio: Studio, current: () => Panel | null, character: WornCharacter): void {
  const cover = h(
    "div.drop-cover",
    h(
      "div.card",
      h("h2", "Drop it"),
      h(
        "p",
        "A character (GLB, VRM) plays the motion at once; motion files (BVH, GLB, VRMA) and folders of them open in Build; a recording is replayed.",
      ),
    ),
  );
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (hasFiles(event) && ++depth === 1) document.body.append(cover);
  });
  window.addEventListener("dragleave", (event) => {
    if (hasFiles(event) && --depth <= 0) {
      depth = 0;
      cover.remove();
    }
  });
  window.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    cover.remove();
    const dropped = [...(event.dataTransfer?.files ?? [])];
    void collectFiles(dropped, findEntries(event.dataTransfer)).then((files) => {
      if (files.length) return give(files);
      studio.say("Expected BVH, GLB, VRM or VRMA files in it.", "bad", dropped[0]?.name ?? "No files");
    });
  });

  async function replay(file: File): Promise<void> {
    try {
      await studio.ask(`/api/recording?name=${encodeURIComponent(file.name)}`, {
        method: "POST",
        body: file,
        headers: { "content-type": "application/octet-stream" },
      });
      studio.open("why");
      studio.say("Space replays it; drag the timeline to go to any moment.", "good", `${file.name} is open`);
    } catch (error) {
      studio.say(String((error as Error).message), "bad", `${file.name} cannot be opened`);
    }
  }

  function give(files: File[]): void {
    if (files.length === 1 && /\.kinerec$/i.test(files[0].name)) return void replay(files[0]);
    if (!files.length || current()?.dropped?.(files)) return;
    if (files.length === 1 && /\.(glb|vrm)$/i.test(files[0].name)) return void character.wear(files[0]);
    const build = registeredPanels().find((panel) => panel.id === "build");
    if (!build?.dropped) return studio.say("This page cannot open such files.", "bad", files[0].name);
    studio.open("build");
    setTimeout(() => {
      if (!build.dropped!(files)) studio.say("Expected BVH, GLB, VRM or VRMA files.", "bad", files[0].name);
    }, 50);
  }
}
