/** How the page of an exported character is built: files that `kinematch export --to web` copies beside the character. */
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/kinematch/studio/static/character",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
    modulePreload: false,
    cssCodeSplit: false,
    // one script, so that a page of one file is these files put together
    rollupOptions: { input: "character.html", output: { codeSplitting: false } },
  },
});
