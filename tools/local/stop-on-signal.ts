import { explainStartError } from "./explain-start-error.ts";

type Print = (line: string) => void;

interface StopOnSignal {
  /** Stops every part in order. */
  readonly stop: () => Promise<void>;
  /** Whether there is data to write at the end. */
  readonly hasDataToKeep: () => boolean;
  readonly print: Print;
}

/** After this time the process ends even if a part has not stopped. Writing many messages takes some seconds. */
const longestStopMilliseconds = 1_800;
const longestKeepingMilliseconds = 60_000;
/** One Ctrl-C may arrive twice: from the terminal, and from npm, which forwards it a moment later. */
const sameSignalMilliseconds = 1_000;

const keeping =
  "Stopping. Writing orders, messages and secrets for the next start with --keep; Ctrl-C again stops immediately and loses them.";
const notKept =
  "Stopped before everything was written. The next start with --keep lacks some data.";

/** The first signal stops everything in order. A second signal ends the process immediately. */
export function stopOnSignal({ stop, hasDataToKeep, print }: StopOnSignal): void {
  let stoppingSince: number | undefined;
  const onSignal = () => {
    const since = stoppingSince ?? performance.now();
    if (performance.now() - since > sameSignalMilliseconds) endEarly(hasDataToKeep(), print);
    if (stoppingSince !== undefined) return;
    stoppingSince = since;
    stopAndExit(stop, hasDataToKeep(), print);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}

function stopAndExit(stop: StopOnSignal["stop"], keeps: boolean, print: Print): void {
  if (keeps) print(keeping);
  const longest = keeps ? longestKeepingMilliseconds : longestStopMilliseconds;
  setTimeout(() => endEarly(keeps, print), longest).unref();
  stop().then(
    () => process.exit(0),
    (error: unknown) => {
      print(`Stopping failed. ${explainStartError(error) ?? String(error)}`);
      endEarly(keeps, print);
    },
  );
}

function endEarly(keeps: boolean, print: Print): never {
  if (keeps) print(notKept);
  process.exit(1);
}
