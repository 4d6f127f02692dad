/** What a figure is made of: triangles, how the vertex shader moves them, and what it reads for each joint. */
import type * as THREE from "three";
import type { GlobalPose } from "./kinematics";

/** Where a person looks, rad to the left and up from where its motion has the head, and how far its eyes are shut. */
export interface Gaze {
  head: number;
  eyes: number;
  lift: number;
  shut: number; // 0 to 1
}

/** The look of all figures of one kind; "person" falls back to the mannequin on rigs that are no person's. */
export type BodyKind = "person" | "mannequin";

export interface Shape {
  readonly attributes: Record<string, THREE.BufferAttribute>;
  readonly index: Uint32Array;
  readonly columns: number; // joints that the shader reads, two texels each
  readonly key: string; // of the shader's text
  readonly head: string; // declarations in GLSL
  readonly normal: string; // the posed normal of a vertex, likewise
  readonly place: string; // the posed place of a vertex
  readonly colour?: string; // the colour of a vertex, where it is no attribute
  readonly uniforms: Record<string, THREE.IUniform>;
  readonly roughness: number;
  /** The joint that carries most of a vertex. */
  carrier(vertex: number): number;
  /** Whether a joint is the head or hangs on it. */
  isHead(joint: number): boolean;
  /** Write what the shader reads for a pose: a turn x y z w, then a place, for each column. */
  write(pose: GlobalPose, out: Float32Array, at: number, gaze: Gaze | null): void;
  /** Colours of the theme as it is now; one for the whole body, if named. */
  paint(name?: string): void;
  dispose(): void;
}

export const POSES = /* glsl */ `
  uniform highp sampler2D poses;
  vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  vec4 jointTurn(float joint) { return texelFetch(poses, ivec2(2 * int(joint), gl_InstanceID), 0); }
  vec3 jointPlace(float joint) { return texelFetch(poses, ivec2(2 * int(joint) + 1, gl_InstanceID), 0).xyz; }
`;
