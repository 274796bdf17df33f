import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Bundle, bundleFunctions } from "../../infra/lambda/bundle.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";

/** An editor saves a file in several steps, so the build waits for the last one. */
const quietMilliseconds = 100;

/**
 * Rebuilds when a source file changes. The running functions reload their new bundles themselves.
 *
 * It watches folders, not files: a watched file is lost when an editor saves by renaming another file over it. After
 * each change it watches the folders again, because there may be new ones.
 */
export function watchSources(
  directories: readonly string[],
  build: () => Promise<readonly string[]>,
  print: (line: string) => void,
): { stop(): void } {
  const buildInTurn = oneAtATime(createBuild(build, print));
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Start watching before the build, so that no change is missed.
      watchAll();
      buildInTurn();
    }, quietMilliseconds);
  };
  const watchAll = () => {
    closeAll();
    watchers = directories.flatMap(foldersIn).flatMap((folder) => watchFolder(folder, onChange));
  };
  const closeAll = () => {
    for (const watcher of watchers) watcher.close();
  };
  watchAll();
  const stop = () => {
    clearTimeout(timer);
    closeAll();
  };
  return { stop };
}

function foldersIn(directory: string): string[] {
  const entries = unlessGone(() => readdirSync(directory, { withFileTypes: true }));
  const folders = entries.filter((entry) => entry.isDirectory());
  return [directory, ...folders.flatMap(({ name }) => foldersIn(join(directory, name)))];
}

function watchFolder(folder: string, onChange: () => void): FSWatcher[] {
  return unlessGone(() => [watch(folder, onChange).on("error", onChange)]);
}

/** A folder may be deleted at any moment. Its parent's watcher sees that. */
function unlessGone<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch {
    return [];
  }
}

/**
 * A change during a build causes one more build after it. Two builds at a time could overwrite new code with old code.
 */
function oneAtATime(work: () => Promise<void>): () => void {
  let isWorking = false;
  let isWanted = false;
  const run = async () => {
    isWorking = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isWorking = false;
  };
  return () => {
    isWanted = true;
    if (!isWorking) void run();
  };
}

function createBuild(
  build: () => Promise<readonly string[]>,
  print: (line: string) => void,
): () => Promise<void> {
  let hasFailed = false;
  return async () => {
    try {
      const names = await build();
      if (names.length > 0) print(`rebuilt: ${names.join(", ")}`);
      else if (hasFailed) print("the build works again, nothing changed");
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      const reason = error instanceof Error ? error.message : String(error);
      print(`the build failed, the old code is still running:\n${reason}`);
    }
  };
}

type Build = (name: string) => Promise<readonly Bundle[]>;

/**
 * Builds the functions whose sources have changed and returns their names. A function that cannot be built keeps its
 * old bundle. Waits for all builds, so that none is running when the next one starts.
 */
export async function buildChanged(
  names: readonly string[],
  build: Build = (name) => bundleFunctions([name]),
): Promise<string[]> {
  const results = await Promise.allSettled(names.map(build));
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? describeFailure(result.reason) : [],
  );
  if (reasons.length > 0) {
    // Several functions may import the same broken file. Name it once.
    throw new PaycastError("local-build-failed", [...new Set(reasons)].join("\n"));
  }
  const bundles = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  return bundles.filter(({ unchanged }) => !unchanged).map(({ name }) => name);
}

/** What esbuild throws. Its columns begin at 0, those of editors at 1. */
const failureSchema = z.object({
  cause: z.object({
    errors: z.array(
      z.object({
        text: z.string(),
        location: z.object({ file: z.string(), line: z.number(), column: z.number() }).nullable(),
      }),
    ),
  }),
});

function describeFailure(thrown: unknown): string[] {
  const failure = failureSchema.safeParse(thrown);
  if (!failure.success) return [thrown instanceof Error ? thrown.message : String(thrown)];
  return failure.data.cause.errors.map(({ text, location }) =>
    location === null ? text : `${location.file}:${location.line}:${location.column + 1} ${text}`,
  );
}
