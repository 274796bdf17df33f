import { watch } from "node:fs";

/** Builds again when a source file changes. The running functions reload their new bundles themselves. */
export function watchSources(
  directories: readonly string[],
  build: () => Promise<unknown>,
  print: (line: string) => void,
): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const rebuild = () => {
    build().catch((error: unknown) => {
      print(`The build failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const watchers = directories.map((directory) =>
    watch(directory, { recursive: true }, () => {
      // An editor saves one file in several steps, so wait for the last one.
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
