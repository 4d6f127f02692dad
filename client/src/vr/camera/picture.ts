/** The camera's picture in the panel, with the landmarks on it; without a picture, the landmarks alone. */
import { LANDMARKS, LINES } from "./skeleton";

const SEEN = 0.3; // visibility below which a landmark is invented
const COLOURS = { left: "#ffb35c", right: "#5cc8ff", middle: "#e8eef4" };
const WIDTH = 320; // pixels

export class Picture {
  readonly canvas = document.createElement("canvas");

  constructor() {
    this.canvas.width = WIDTH;
    this.canvas.className = "camera-picture";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "What the camera sees, with the landmarks of the body");
  }

  /** Draw a picture, mirrored as people know themselves, and landmarks: shares of its width and height. */
  draw(
    picture: ImageBitmap | null,
    image: ArrayLike<number> | null,
    visibility: ArrayLike<number>,
    aspect: number,
  ): void {
    const height = Math.round(WIDTH / aspect);
    if (this.canvas.height !== height) this.canvas.height = height;
    const pen = this.canvas.getContext("2d")!;
    pen.setTransform(-1, 0, 0, 1, WIDTH, 0);
    pen.fillStyle = "#11161c";
    pen.fillRect(0, 0, WIDTH, height);
    if (picture) pen.drawImage(picture, 0, 0, WIDTH, height);
    if (!image?.length) return;
    for (const [from, to, side] of LINES) {
      pen.globalAlpha = Math.min(visibility[from], visibility[to]) > SEEN ? 1 : 0.25;
      pen.strokeStyle = COLOURS[side];
      pen.lineWidth = 2.5;
      pen.beginPath();
      pen.moveTo(image[2 * from] * WIDTH, image[2 * from + 1] * height);
      pen.lineTo(image[2 * to] * WIDTH, image[2 * to + 1] * height);
      pen.stroke();
    }
    pen.fillStyle = "#ffffff";
    for (let k = 0; k < LANDMARKS; k++) {
      pen.globalAlpha = visibility[k] > SEEN ? 1 : 0.25;
      pen.fillRect(image[2 * k] * WIDTH - 1.5, image[2 * k + 1] * height - 1.5, 3, 3);
    }
    pen.globalAlpha = 1;
  }
}
