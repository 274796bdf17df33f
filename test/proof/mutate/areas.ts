import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Sources that `npm run mutate` changes, and the tests that must detect it. */
export interface Area {
  /** Its name, too. */
  readonly folder: string;
  /** One in this many changes is tried. */
  readonly every: number;
  /** The lowest share of changes that tests must detect, in percent. */
  readonly goal: number;
  /** Each runs once for each change that its code reaches, all in one process. */
  readonly tests: readonly string[];
  /** Run in a process for each change, for these sources: no test reaches them in its own process. */
  readonly freshTests?: Readonly<Record<string, readonly string[]>>;
}

const unitTests = ["test/shared/**/*.test.ts", "test/proof/model/*.test.ts"];

const domain = "delivery envelope facts keys money orders processing receiving records"
  .split(" ")
  .map((folder) => ({ folder: `shared/${folder}`, every: 1, goal: 90, tests: unitTests }));

const integration = (...names: string[]) => names.map((name) => `test/integration/${name}.test.ts`);
const storefront = (...names: string[]) => names.map((name) => `test/storefront/${name}.test.ts`);

/** The quick ones of each function first. The functions run as bundles, in threads of their own. */
const functionTests = {
  "functions/receive-callback.ts": integration("receive-answers", "smoke", "capturing"),
  "functions/process-callback.ts": integration(
    "events",
    "batches",
    "outages",
    "quarantine",
    "subscribers",
  ),
  "functions/create-order.ts": storefront("happy-path", "own-failures", "service-failures"),
  "functions/query-order.ts": storefront("query-order", "own-failures", "asking"),
  "functions/reconcile-orders.ts": [
    "test/reconciling/lost-callbacks.test.ts",
    "test/reconciling/claims.test.ts",
    "test/reconciling/service-down.test.ts",
  ],
  "functions/count-attention.ts": integration("attention"),
};

const infra = (...names: string[]) => names.map((name) => `test/infra/${name}.test.ts`);
/** The template is made of all of infra, so every test reaches these. */
const infraTests = {
  "infra/paycast.ts": infra("storage", "stack"),
  "infra/acknowledgements.ts": infra("security-review"),
  "infra/encryption/encrypt-with-key.ts": infra("storage", "existing-resources"),
  "infra/lambda/paycast-function.ts": infra("functions", "permissions"),
};

const localTests = {
  "tools/local/aws/dynamodb.ts": ["test/tools/local/permissions/guard.test.ts"],
  "tools/local/aws/sqs/query-protocol.ts": ["test/tools/local/aws/sqs/start-sqs.test.ts"],
  "tools/local/aws/sqs/queue-store.ts": ["test/tools/local/aws/sqs/start-sqs.test.ts"],
  "tools/local/stack/template/template.ts": [
    "test/tools/local/permissions/read-permissions.test.ts",
  ],
  "tools/local/stack/triggers/tick-schedule.ts": ["test/tools/local/stack/schedules.test.ts"],
};

const around: readonly Area[] = [
  { folder: "functions", every: 8, goal: 80, tests: [], freshTests: functionTests },
  {
    folder: "infra",
    every: 60,
    goal: 80,
    tests: ["test/infra/**/*.test.ts"],
    freshTests: infraTests,
  },
  {
    folder: "tools/cli",
    every: 60,
    goal: 80,
    // Most commands are tested with the operation that they run.
    tests: ["test/tools/cli/**/*.test.ts", "test/tools/operations/**/*.test.ts"],
  },
  {
    folder: "tools/local",
    every: 120,
    goal: 80,
    tests: ["test/tools/local/**/*.test.ts"],
    freshTests: localTests,
  },
  {
    folder: "tools/operations",
    every: 160,
    goal: 80,
    tests: ["test/tools/operations/**/*.test.ts"],
  },
];

export function isDomain({ folder }: Area): boolean {
  return folder.startsWith("shared/");
}

export const areas: readonly Area[] = [...domain, ...around];

/** Those that one run takes together: the domain's, since each of its tests reaches several. */
export function runsOf(folders: readonly string[]): readonly (readonly Area[])[] {
  const chosen = areas.filter(({ folder }) => folders.includes(folder));
  const others = chosen.filter((area) => !isDomain(area)).map((area) => [area]);
  return [chosen.filter(isDomain), ...others].filter((run) => run.length > 0);
}

/** What a glob begins with. */
export function folderOf(glob: string): string {
  return glob.replace(/\/\*.*/, "");
}

/** Products as a whole and long lists: too slow, or in processes of their own. */
export const leftOut = ["many*", "examples", "start-command", "start-local", "stop-on-signal"];

export function testFilesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const isLeftOut = (file: string) =>
    leftOut.some((name) => basename(file).startsWith(name.replace("*", "")));
  return files.filter((file) => file.endsWith(".test.ts") && !isLeftOut(file));
}

/**
 * Whether a test file is in the folder that mirrors the folder of a source, or in one above it. If a folder has no mirror,
 * any test may be the one for it.
 */
export function isNear(testFile: string, source: string): boolean {
  const folder = testFile.slice("test/".length, testFile.lastIndexOf("/") + 1);
  return source.startsWith(folder) || !existsSync(`test/${dirname(source)}`);
}

/** Test files, those first whose paths share the most words with the source's. Those of its own name count twice. */
export function closestFirst(testFiles: readonly string[], source: string): string[] {
  const [words, own] = [wordsOf(source), wordsOf(basename(source, ".ts"))];
  const closeness = (file: string) => {
    const shared = wordsOf(file).filter((word) => words.includes(word));
    return shared.length + shared.filter((word) => own.includes(word)).length;
  };
  return testFiles.toSorted((left, right) => closeness(right) - closeness(left));
}

function wordsOf(path: string): string[] {
  return [...new Set(path.split(/[/.-]/))];
}
