/** Further characters beside the first one, each with the same motion on its own body. */
import type * as THREE from "three";
import type { Live } from "../live";
import { isLineupFrame, readLineupFrame, type CharacterInfo, type LineupFrame } from "../messages";
import { request } from "../stream/request";
import type { Studio } from "../studio";
import { newPose, Rig, type GlobalPose } from "./kinematics";
import { CharacterModel, readModel } from "./model";
import type { Viewport } from "./viewport";

interface Member {
  name: string;
  rig: Rig;
  pose: GlobalPose;
  model: CharacterModel | null;
}

export class Lineup {
  onChange: () => void = () => {};
  readonly layer: THREE.Group;
  private members: Member[] = [];
  private frame: LineupFrame | null = null;

  constructor(
    live: Live,
    viewport: Viewport,
    private readonly studio: () => Studio,
  ) {
    this.layer = viewport.layer();
    live.onChange((change) => {
      if (change === "welcome") this.meet(live.welcome?.lineup ?? []);
    });
    live.connection.onBinary((buffer) => {
      if (isLineupFrame(buffer)) this.frame = readLineupFrame(buffer);
    });
  }

  get names(): string[] {
    return this.members.map((member) => member.name);
  }

  /** Send one more character's file to the server; every page is told of it by a new welcome. */
  async add(file: File): Promise<void> {
    try {
      await this.studio().ask(`/api/lineup?name=${encodeURIComponent(file.name)}`, {
        method: "POST",
        body: file,
        headers: { "content-type": "application/octet-stream" },
      });
    } catch (error) {
      this.studio().say(String((error as Error).message ?? error), "bad", `${file.name} cannot walk along`);
    }
  }

  async clear(): Promise<void> {
    try {
      await this.studio().ask("/api/lineup", { method: "DELETE" });
    } catch (error) {
      this.studio().say(String((error as Error).message ?? error), "bad");
    }
  }

  private meet(infos: CharacterInfo[]): void {
    for (const member of this.members) member.model?.dispose();
    this.frame = null;
    this.members = infos.map((info) => {
      const rig = new Rig(info.skeleton);
      return { name: info.name, rig, pose: newPose(rig), model: null };
    });
    this.members.forEach((member, index) => void this.read(member, index, infos[index]));
    this.onChange();
  }

  private async read(member: Member, index: number, info: CharacterInfo): Promise<void> {
    try {
      const answer = await request(`api/lineup?index=${index}`);
      const model = await readModel(await answer.arrayBuffer(), info);
      if (!this.members.includes(member)) return model.dispose(); // others came meanwhile
      member.model = model;
      model.scene.visible = false; // until it is posed
      this.layer.add(model.scene);
    } catch (error) {
      this.studio().say(String((error as Error).message ?? error), "bad", `${info.name} cannot be drawn`);
    }
  }

  /** Show a past moment between two frames, until the next frame comes; nobody where others walked along then. */
  show(before: LineupFrame | undefined, after: LineupFrame | undefined, share: number): void {
    const joints = this.members.reduce((sum, member) => sum + member.rig.count, 0);
    this.frame = before && before.joints === joints ? blendFrames(before, after ?? before, share) : null;
    for (const { model } of this.members) if (model && !this.frame) model.scene.visible = false;
  }

  update(seconds: number): void {
    const frame = this.frame;
    let first = 0;
    for (const member of this.members) {
      const last = first + member.rig.count;
      if (!frame || last > frame.joints) return;
      if (member.model) {
        const { rig, pose } = member;
        rig.forward(
          frame.positions,
          3 * first,
          frame.positions,
          3 * first,
          frame.rotations,
          4 * first,
          pose.positions,
          pose.rotations,
        );
        member.model.scene.visible = true;
        member.model.apply(pose, seconds);
      }
      first = last;
    }
  }
}

/** Places on the way from one frame to the next, with rotations along the shorter arc. */
function blendFrames(before: LineupFrame, after: LineupFrame, share: number): LineupFrame {
  if (share === 0 || after.joints !== before.joints) return before;
  const positions = before.positions.map((value, k) => value + share * (after.positions[k] - value)),
    rotations = before.rotations.slice();
  for (let j = 0; j < rotations.length; j += 4) {
    let cosine = 0;
    for (let k = j; k < j + 4; k++) cosine += before.rotations[k] * after.rotations[k];
    const sign = cosine < 0 ? -1 : 1;
    let length = 0;
    for (let k = j; k < j + 4; k++) {
      rotations[k] += share * (sign * after.rotations[k] - rotations[k]);
      length += rotations[k] ** 2;
    }
    for (let k = j; k < j + 4; k++) rotations[k] /= Math.sqrt(length);
  }
  return { ...before, positions, rotations };
}
