/** How the client is built: into the Python package, as a handful of files with no server of their own. */
import { defineConfig } from "vite";

const SERVER = "http://127.0.0.1:8123";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/kinematch/studio/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
  },
  // `npm run dev` beside a running `kinematch play`, which answers its own page alone
  server: {
    proxy: Object.fromEntries(
      ["/api", "/stream"].map((path) => [
        path,
        { target: SERVER, changeOrigin: true, ws: true, headers: { origin: SERVER } },
      ]),
    ),
  },
});
