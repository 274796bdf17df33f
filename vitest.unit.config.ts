import { defineConfig } from "vitest/config";

/** `npm run test:unit`: the domain alone, without emulators, in seconds. */
export default defineConfig({
  test: {
    include: ["test/{shared,checks}/**/*.test.ts"],
    setupFiles: ["test/setup/property-seed.ts"],
    pool: "threads",
    maxWorkers: 2,
  },
});
