import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { areas, leftOut } from "./areas.ts";
import { instrumentedFolder, linesOfThisRun, runVariable } from "./journal.ts";

/** Serves the instrumented sources in place of the domain's own. */
const instrumented: Plugin = {
  name: "instrumented",
  enforce: "pre",
  load(id) {
    const file = join(instrumentedFolder(), relative(process.cwd(), id));
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  },
};

const name = process.env[runVariable] ?? "";
const isDomain = name === "shared";
const { tests } = areas.find(({ folder }) => folder.startsWith(name)) ?? { tests: [] };

/** First the tests of the changed folders, since they notice most, and those without a stack; last the slow ones. */
class LikelyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const changed = isDomain ? readdirSync(join(instrumentedFolder(), "shared")) : [];
    const placeOf = ({ moduleId }: TestSpecification) => {
      if (/alike|property|vector|model/.test(moduleId)) return 2;
      if (!isDomain) return readFileSync(moduleId, "utf8").includes("Stack(") ? 1 : 0;
      return changed.some((folder) => moduleId.includes(`/shared/${folder}/`)) ? 0 : 1;
    };
    return files.toSorted((left, right) => placeOf(left) - placeOf(right));
  }
}

/** The tests for run-mutants.ts. The files that an interrupted run has done are left out. */
export default defineConfig({
  plugins: [instrumented],
  test: {
    // The unit tests need no emulators.
    name: isDomain ? "unit" : "mutants",
    include: [...tests],
    exclude: [
      ...(isDomain ? [] : [`**/{${leftOut.join(",")}}.test.ts`]),
      ...linesOfThisRun().flatMap((line) => ("done" in line ? [line.done] : [])),
    ],
    runner: "test/proof/mutate/run-mutants.ts",
    reporters: ["minimal"],
    silent: true,
    setupFiles: [
      "test/setup/property-seed.ts",
      "test/setup/leave-as-found.ts",
      "test/proof/mutate/quick-properties.ts",
    ],
    globalSetup: ["test/setup/prepare.ts"],
    // quick-properties.ts bounds their time instead.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true", PROPERTY_DRAWS: "all" },
    // All files in one process, one after another: the next file does not try what an earlier one has detected.
    isolate: false,
    pool: isDomain ? "threads" : "forks",
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: LikelyFirst },
    // Ends a promise that a mutant keeps from settling.
    testTimeout: 20_000,
    hookTimeout: 120_000,
  },
});
