import { defineConfig } from "vitest/config";
import all from "./vitest.config.ts";

/** `npm run test:unit`: the domain alone, without emulators, in seconds. Its limits are those of the whole suite. */
export default defineConfig({
  test: {
    ...all.test,
    include: ["test/{shared,checks}/**/*.test.ts"],
    globalSetup: [],
    pool: "threads",
    maxWorkers: 2,
  },
});
