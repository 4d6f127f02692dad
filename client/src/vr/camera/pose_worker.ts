/** Finds the landmarks of bodies in pictures, beside the page, so that it goes on drawing. */
import { PoseLandmarker, type NormalizedLandmark } from "@mediapipe/tasks-vision";

export interface PoseRequest {
  /** To begin with: where the estimator's own code and model are. */
  setup?: { loader: string; binary: string; model: ArrayBuffer };
  picture?: ImageBitmap;
  time?: number; // ms
}

/** x y z [m] and x y in the picture of each landmark, and how visible each is. */
export interface FoundBody {
  places: Float32Array;
  image: Float32Array;
  visibility: Float32Array;
}

export interface PoseAnswer {
  ready?: boolean;
  problem?: string;
  bodies?: FoundBody[];
  brightness?: number;
  picture?: ImageBitmap; // the one that was looked at
}

const PEOPLE = 2; // looked for, so that a second one is noticed
const SMALL = 24; // pixels of the picture whose brightness is looked at
const scope = self as unknown as { postMessage: (answer: PoseAnswer, transfer?: Transferable[]) => void };
let landmarker: PoseLandmarker | null = null;
const canvas = new OffscreenCanvas(SMALL, SMALL);
const pen = canvas.getContext("2d", { willReadFrequently: true })!;

self.onmessage = async (event: MessageEvent<PoseRequest>) => {
  const { setup, picture, time } = event.data;
  try {
    if (setup) {
      landmarker = await PoseLandmarker.createFromOptions(
        { wasmLoaderPath: setup.loader, wasmBinaryPath: setup.binary },
        {
          baseOptions: { modelAssetBuffer: new Uint8Array(setup.model), delegate: "CPU" },
          numPoses: PEOPLE,
          runningMode: "VIDEO",
        },
      );
      scope.postMessage({ ready: true });
    }
    if (picture && landmarker && time !== undefined) {
      const brightness = measureBrightness(picture);
      const found = landmarker.detectForVideo(picture, time);
      const bodies = found.worldLandmarks.map((world, k) => pack(world, found.landmarks[k]));
      scope.postMessage({ bodies, brightness, picture }, [picture]);
    }
  } catch (error) {
    scope.postMessage({ problem: String((error as Error).message ?? error) });
  }
};

function pack(world: { x: number; y: number; z: number; visibility?: number }[], flat: NormalizedLandmark[]) {
  return {
    places: Float32Array.from(world.flatMap(({ x, y, z }) => [x, y, z])),
    image: Float32Array.from(flat.flatMap(({ x, y }) => [x, y])),
    visibility: Float32Array.from(world.map((one) => one.visibility ?? 0)),
  };
}

function measureBrightness(picture: ImageBitmap): number {
  pen.drawImage(picture, 0, 0, SMALL, SMALL);
  const { data } = pen.getImageData(0, 0, SMALL, SMALL);
  let sum = 0;
  for (let k = 0; k < data.length; k += 4) sum += data[k] + data[k + 1] + data[k + 2];
  return sum / (3 * 255 * SMALL * SMALL);
}
