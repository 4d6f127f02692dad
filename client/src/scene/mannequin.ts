/** The mannequin: round cones, each cap carried by one joint, left and right in colours of their own. */
import * as THREE from "three";
import { colour } from "../ui/theme";
import { bodyTriangles, TINTS } from "./cones";
import { below } from "./headless";
import type { Rig } from "./kinematics";
import { POSES, type Shape } from "./shape";

export type Corners = "all" | "some" | "few";
const ROUNDNESS = { all: [16, 5], some: [10, 4], few: [6, 3] } as const; // corners around, rings of a cap
const NAMES = {
  body: "body",
  left: "body-left",
  right: "body-right",
  left_arm: "body-left-arm",
  right_arm: "body-right-arm",
  joints: "body-joints",
};

export function makeMannequin(rig: Rig, corners: Corners): Shape {
  const [sides, steps] = ROUNDNESS[corners];
  const mesh = bodyTriangles(rig.info.body, rig, sides, steps);
  const colours = new THREE.BufferAttribute(new Float32Array(3 * mesh.tints.length), 3);
  const { head } = rig.info.roles,
    heads = head === undefined ? new Set<number>() : below(rig.parents, head);
  return {
    attributes: {
      position: new THREE.BufferAttribute(mesh.positions, 3),
      normal: new THREE.BufferAttribute(mesh.normals, 3),
      carrier: new THREE.BufferAttribute(mesh.carriers, 1),
      color: colours,
    },
    index: mesh.indices,
    columns: rig.count,
    key: "mannequin",
    head: `attribute float carrier;\n${POSES}`,
    normal: "turned(jointTurn(carrier), normal)",
    place: "turned(jointTurn(carrier), position) + jointPlace(carrier)",
    uniforms: {},
    roughness: 0.62,
    carrier: (vertex) => mesh.carriers[vertex],
    isHead: (joint) => heads.has(joint),
    write: (pose, out, at) => {
      for (let j = 0; j < rig.count; j++, at += 8) {
        out.set(pose.rotations.subarray(4 * j, 4 * j + 4), at);
        out.set(pose.positions.subarray(3 * j, 3 * j + 3), at + 4);
      }
    },
    paint: (name) => {
      const palette = TINTS.map((tint) => new THREE.Color(colour(name ?? NAMES[tint])));
      mesh.tints.forEach((tint, v) => colours.setXYZ(v, palette[tint].r, palette[tint].g, palette[tint].b));
      colours.needsUpdate = true;
    },
    dispose: () => {},
  };
}
