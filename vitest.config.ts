import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/prepare-emulators.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
