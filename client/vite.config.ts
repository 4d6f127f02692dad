/** How the client is built: into the Python package, as a handful of files with no server of their own. */
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/kinematch/studio/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765", "/socket": { target: "ws://127.0.0.1:8765", ws: true } } },
});
