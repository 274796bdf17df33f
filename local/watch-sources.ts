import { watch } from "node:fs";

/** Builds again when a source changes; the running functions notice their new bundles by themselves. */
export function watchSources(
  directories: readonly string[],
  build: () => Promise<unknown>,
  print: (line: string) => void,
): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const rebuild = () => {
    build().catch((error: unknown) => {
      print(`not built: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const watchers = directories.map((directory) =>
    watch(directory, { recursive: true }, () => {
      // Editors save in several steps.
      clearTimeout(timer);
      timer = setTimeout(rebuild, 100);
    }),
  );
  const stop = () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  return { stop };
}
