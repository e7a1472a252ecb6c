// How the page is built: one script and one style sheet under fixed names, so that the binary can
// embed them and the server needs no list.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  base: "/",
  publicDir: false,
  build: {
    outDir: "dist",
    // `dist/.gitignore` keeps the folder in git and must stay; the task removes the rest.
    emptyOutDir: false,
    target: "es2023",
    modulePreload: false,
    // The security policy of the server allows no data: script or style.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: false,
        entryFileNames: "app.js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
