import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const all = ["test/**/*.test.ts"];

/** The domain: no test of it needs an emulator. */
const unit = [
  "test/{shared,checks,lives}/**/*.test.ts",
  "test/proof/!(growth)/*.test.ts",
  "test/proof/!(main).test.ts",
];

/** What a change breaks first, and one pass through everything in a browser. */
const main = [
  "test/{hostile,integration,reconciling,storefront}/**/!(many*|examples).test.ts",
  "test/tools/{cli,operations}/!(detect-vectors).test.ts",
  "test/tools/{cli,operations}/!(policy|smoke)/**/!(many*|examples).test.ts",
  "test/infra/!(app|deploying-guide|documents).test.ts",
  "test/infra/*/**/*.test.ts",
  "test/tools/local/!(start-command|start-local|stop-on-signal).test.ts",
  "test/tools/local/*/**/!(jump).test.ts",
  "test/tools/simulator/!(checkout|command).test.ts",
  "test/tools/simulator/*/**/*.test.ts",
  "test/tools/console/server/**/*.test.ts",
  "test/end-to-end/checkout.test.ts",
  "test/runbook/alarms/{first-walks,every-alarm}.test.ts",
];

/** Files share a worker and its modules. Each one leaves the process as it found it (leave-as-found.ts). */
const project = (
  name: string,
  test: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration => ({
  test: {
    name,
    isolate: false,
    setupFiles: ["test/setup/property-seed.ts", "test/setup/leave-as-found.ts"],
    // On Node 20 the SDK would print seven lines in every file. docs/dependencies.md says when we leave Node 20.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    // They end what hangs, also on a busy machine, and nothing else. What `until` and a poll wait is less: these can
    // say what was missing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    ...test,
  },
});

export default defineConfig({
  // How long each file took, so that the longest begin first. Outside of node_modules, which `npm ci` deletes.
  cacheDir: ".cache/vite",
  test: {
    include: all,
    // Once for all projects.
    globalSetup: ["test/setup/prepare.ts"],
    // Much of a test's time is waiting for emulators: four at a time also on a machine with two cores. Under QEMU, as on
    // Linux arm64, DynamoDB is so slow beside three others that functions reach their time limits.
    maxWorkers: process.platform === "linux" && process.arch === "arm64" ? 2 : 4,
    projects: [
      project("unit", { include: unit, pool: "threads" }),
      project("main", { include: main }),
      // Whole products and walks through documents: `npm test` leaves them to `npm run test:all`.
      project("thorough", { include: all, exclude: [...unit, ...main] }),
    ],
  },
});
