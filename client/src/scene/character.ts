/** The user's own character (GLB or VRM) in place of the mannequin: the server retargets, the page sets its nodes. */
import type * as THREE from "three";
import type { Live } from "../live";
import type { CharacterInfo } from "../messages";
import { request } from "../stream/request";
import type { Studio } from "../studio";
import { PERSON_REACH } from "./camera";
import { newPose, type GlobalPose, type Rig } from "./kinematics";
import { CharacterModel, readModel } from "./model";
import type { Viewport } from "./viewport";

const LEAST_REACH = 0.1; // m that the camera shows around the hips of the smallest character

export class WornCharacter {
  onChange: () => void = () => {};
  onUnfit: () => void = () => {}; // a file was sent that cannot be worn as it is
  rest = false; // whether the rest pose is shown in place of the motion
  changes = 0; // how often another character was put on
  private content: ArrayBuffer | null = null; // of the file that is drawn
  model: CharacterModel | null = null; // null for the mannequin, and while the file is read
  private info: CharacterInfo | null = null;
  protected readonly layer: THREE.Group;

  constructor(
    private readonly live: Live,
    private readonly viewport: Viewport,
    private readonly studio: () => Studio,
  ) {
    this.layer = viewport.layer();
    live.onChange((change) => {
      if (change === "welcome") void this.show(live.welcome?.character ?? null);
    });
  }

  set visible(on: boolean) {
    this.layer.visible = on;
  }

  /** The file that is worn, or null for the mannequin. */
  get name(): string | null {
    return this.info?.name ?? null;
  }

  /** The nodes of its file that are driven, parents first. */
  get joints(): CharacterModel["joints"] {
    return this.model?.joints ?? [];
  }

  /** Send a character's file to the server; every page is told of it by a new welcome. */
  async wear(file: File): Promise<void> {
    const studio = this.studio();
    try {
      const told = await studio.ask<{ joints: number; notes: string[] }>(
        `/api/character?name=${encodeURIComponent(file.name)}`,
        { method: "POST", body: file, headers: { "content-type": "application/octet-stream" } },
      );
      studio.say(
        [`${told.joints} joints follow the motion.`, ...told.notes].join(" "),
        "good",
        `Playing on ${file.name}`,
      );
    } catch (error) {
      studio.say(String((error as Error).message ?? error), "bad", `${file.name} cannot be used as a character`);
      this.onUnfit();
    }
  }

  /** Wear a character of the gallery. */
  async wearFigure(name: string): Promise<void> {
    try {
      const answer = await request(`api/figure?name=${encodeURIComponent(name)}`);
      await this.wear(new File([await answer.blob()], `${name}.glb`));
    } catch (error) {
      this.studio().say(String((error as Error).message ?? error), "bad");
    }
  }

  /** Back to the mannequin. */
  async takeOff(): Promise<void> {
    try {
      await this.studio().ask("/api/character", { method: "DELETE" });
    } catch (error) {
      this.studio().say(String((error as Error).message ?? error), "bad");
    }
  }

  private async show(info: CharacterInfo | null): Promise<void> {
    this.model?.dispose();
    this.model = this.content = null;
    this.info = info;
    this.live.heroHidden = false;
    this.changes++;
    this.onChange();
    if (!info?.drawn) return this.viewport.follow.fit(PERSON_REACH);
    try {
      const content = await (await request("api/character")).arrayBuffer();
      const model = await readModel(content, info);
      if (this.info !== info) return model.dispose(); // another one came meanwhile
      this.model = model;
      this.content = content;
      this.layer.add(model.scene);
      this.framed = false;
    } catch (error) {
      const reason = String((error as Error).message ?? error);
      this.studio().say(`${reason}. Its skeleton is shown instead.`, "bad", `${info.name} cannot be drawn`);
    }
  }

  /** A second copy for another stage, or null where the mannequin is worn. */
  async copy(): Promise<CharacterModel | null> {
    return this.content && this.info ? readModel(this.content, this.info) : null;
  }

  update(seconds: number): void {
    const pose = this.live.pose();
    if (!this.model || !pose || !this.live.rig) return;
    this.live.heroHidden = true;
    this.model.apply(this.rest ? this.standAtRest(pose, this.live.rig) : pose, seconds);
    if (this.framed) return;
    this.framed = true;
    const reach = this.model.measureReach(this.live.rig.info.roles.hips ?? 0) ?? PERSON_REACH;
    this.viewport.follow.fit(Math.max(reach, LEAST_REACH));
  }
  private framed = true; // whether the camera stands as far away as the model needs

  /** The reference T-pose, where the character is. */
  private standAtRest(pose: GlobalPose, rig: Rig): GlobalPose {
    const local = Float32Array.from((rig.info.tpose ?? rig.info.rotations).flat());
    local.set(pose.rotations.subarray(0, 4));
    const at = newPose(rig);
    rig.forward(pose.positions, 0, null, 0, local, 0, at.positions, at.rotations);
    return at;
  }
}
