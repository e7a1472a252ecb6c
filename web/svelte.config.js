// Svelte itself: TypeScript in components; a class name for each component from its own file.
import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default { preprocess: vitePreprocess() };
