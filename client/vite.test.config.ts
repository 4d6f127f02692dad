/** The client's unit tests as one script for Node's own test runner. */
import { readdirSync } from "node:fs";
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    ssr: true,
    outDir: "node_modules/.tests",
    rollupOptions: {
      input: Object.fromEntries(
        readdirSync("tests")
          .filter((name) => name.endsWith(".test.ts"))
          .map((name) => [name.replace(".test.ts", ".test"), `tests/${name}`]),
      ),
    },
  },
  ssr: { noExternal: true },
});
