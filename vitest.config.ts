import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/prepare.ts"],
    setupFiles: ["test/setup/property-seed.ts"],
    // On Node 20 the SDK would print seven lines in every file. docs/dependencies.md says when we leave Node 20.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    // Most of a test's time is waiting for emulators: three at a time also on a machine with two cores.
    maxWorkers: 3,
    // They end what hangs, and are longer than what `until` and a poll wait: these can say what was missing.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
