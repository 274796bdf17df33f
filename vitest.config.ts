import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/prepare-emulators.ts"],
    setupFiles: ["test/setup/property-seed.ts"],
    // Most of a test's time is waiting for emulators: three at a time also on a machine with two cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
