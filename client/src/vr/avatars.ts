/** The bodies of the room's users on the stage: persons, or the characters that they wear. */
import * as THREE from "three";
import type { AvatarFrame, AvatarInfo } from "../messages";
import type { Figure } from "../scene/figure";
import { hideHead } from "../scene/headless";
import { blendRotation, newPose, Rig, type GlobalPose } from "../scene/kinematics";
import { readModel, type CharacterModel } from "../scene/model";
import type { Viewport } from "../scene/viewport";
import { mix } from "../stream/crowd_pose";
import type { Room } from "./room";

const LATE = 100; // ms, at most, that others' frames are stretched over

interface Shown {
  info: AvatarInfo;
  rig: Rig;
  figure: Figure;
  model: CharacterModel | null;
  own: boolean;
  pose: GlobalPose;
  posed: boolean; // whether a frame has come in
  former: Shown | null; // the user's body before, which stays until then
  before: AvatarFrame | null;
  after: AvatarFrame | null;
  came: number; // when `after` did, ms
  span: number; // ms between the two
}

export class Avatars {
  readonly layer: THREE.Group;
  evenly = false; // one's own body moves from frame to frame too: those of a camera alone are far apart
  onTrouble: (text: string) => void = () => {};
  private readonly shown = new Map<number, Shown>();
  private readonly positions: number[] = [];

  constructor(
    private readonly room: Room,
    private readonly viewport: Viewport,
  ) {
    this.layer = viewport.layer();
    room.onChange(() => this.meet());
    room.onFrame((frame, at) => this.take(frame, at));
  }

  /** The pose of a user's body, or null before the first. */
  pose(user: number): GlobalPose | null {
    return this.find(user)?.pose ?? null;
  }

  /** The body to look at: one's own, or the first there is. */
  get main(): { position: THREE.Vector3; yaw: number } | null {
    const user = this.room.own?.user ?? this.room.now?.users.find((one) => this.pose(one.user))?.user;
    const shown = user === undefined ? null : this.find(user);
    if (!shown) return null;
    const hips = 3 * (shown.rig.info.roles.hips ?? 1);
    const turn = new THREE.Quaternion().fromArray(shown.pose.rotations, 0);
    return {
      position: new THREE.Vector3().fromArray(shown.pose.positions, hips),
      yaw: 2 * Math.atan2(turn.y, turn.w),
    };
  }

  /** What is seen of a user. */
  private find(user: number): Shown | null {
    const shown = this.shown.get(user);
    return shown?.posed ? shown : (shown?.former ?? null);
  }

  private meet(): void {
    const users = this.room.now?.users ?? [];
    for (const [user, shown] of this.shown)
      if (!users.some((one) => one.user === user)) {
        this.shown.delete(user);
        this.forget(shown);
      }
    for (const info of users) {
      const before = this.shown.get(info.user);
      if (before?.info.version !== info.version) this.welcome(info, this.find(info.user));
      if (before && before.info.version !== info.version && !before.posed) this.forget({ ...before, former: null });
    }
  }

  private welcome(info: AvatarInfo, former: Shown | null): void {
    const rig = new Rig(info.skeleton),
      own = info.user === this.room.own?.user;
    const figure = this.viewport.figure(rig, this.layer, {
      kind: "person",
      own,
      first: own ? 0 : 1 + info.place,
    });
    figure.visible = false;
    const shown: Shown = {
      info,
      rig,
      figure,
      own,
      model: null,
      pose: newPose(rig),
      posed: false,
      former,
      before: null,
      after: null,
      came: 0,
      span: 1,
    };
    this.shown.set(info.user, shown);
    if (info.character) void this.dress(shown);
  }

  private async dress(shown: Shown): Promise<void> {
    const { info } = shown;
    try {
      const answer = await fetch(`api/room/character?user=${info.user}`);
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const model = await readModel(await answer.arrayBuffer(), info);
      if (this.shown.get(info.user) !== shown) return model.dispose(); // another one came meanwhile
      const head = model.joints.find(({ joint }) => joint === info.skeleton.roles.head);
      if (shown.own && head) hideHead(model.scene, head.node);
      model.scene.visible = false;
      this.layer.add(model.scene);
      shown.model = model;
    } catch (error) {
      this.onTrouble(`${info.character} cannot be drawn: ${String((error as Error).message ?? error)}`);
    }
  }

  private forget(shown: Shown | null): void {
    if (!shown) return;
    this.forget(shown.former);
    this.viewport.forget(shown.figure);
    shown.model?.dispose();
    shown.model = null;
  }

  private take(frame: AvatarFrame, at: number): void {
    const shown = this.shown.get(frame.user);
    if (!shown || frame.version !== shown.info.version || frame.joints !== shown.rig.count) return;
    shown.before = shown.own && !this.evenly ? null : shown.after;
    shown.span = Math.min(Math.max(at - shown.came, 1), LATE);
    shown.after = frame;
    shown.came = at;
  }

  update(now: number, seconds: number): void {
    for (const shown of this.shown.values()) {
      if (!shown.after) continue;
      this.blend(shown, shown.before ? Math.min((now - shown.came) / shown.span, 1) : 1);
      shown.posed = true;
      this.forget(shown.former);
      shown.former = null;
      shown.figure.visible = !shown.model;
      if (shown.model) {
        shown.model.scene.visible = true;
        shown.model.apply(shown.pose, seconds);
      } else shown.figure.pose(0, shown.pose);
    }
  }

  /** One's own body is shown as it came in, unless a camera alone drives it; others move from frame to frame. */
  private blend(shown: Shown, share: number): void {
    const { before, after, rig, pose } = shown;
    if (!after) return;
    let { positions, rotations } = after as { positions: ArrayLike<number>; rotations: ArrayLike<number> };
    if (before && share < 1) {
      for (let k = 0; k < 3 * rig.count; k++) this.positions[k] = mix(before.positions[k], after.positions[k], share);
      const turns = new Float32Array(4 * rig.count);
      for (let j = 0; j < rig.count; j++)
        blendRotation(before.rotations, 4 * j, after.rotations, 4 * j, share, turns, 4 * j);
      positions = this.positions;
      rotations = turns;
    }
    rig.forward(positions, 0, positions, 0, rotations, 0, pose.positions, pose.rotations);
  }
}
