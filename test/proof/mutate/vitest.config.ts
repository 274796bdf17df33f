import { defineConfig } from "vitest/config";

const folder = process.env["MUTATE_TESTS"] ?? "";

/** The unit tests, for Stryker: those of one folder of the domain, or all. */
export default defineConfig({
  test: {
    name: "unit",
    include: [
      `test/shared/${folder}**/*.test.ts`,
      ...(folder ? [] : ["test/proof/model/*.test.ts"]),
    ],
    setupFiles: ["test/setup/property-seed.ts", "test/setup/leave-as-found.ts"],
    globalSetup: ["test/setup/prepare.ts"],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    isolate: false,
    testTimeout: 600_000,
  },
});
