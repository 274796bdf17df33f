import * as z from "zod";
import { PaycastError } from "../../shared/paycast-error.ts";

type Print = (line: string) => void;

interface StopOnSignal {
  /** Stops every part in order. */
  readonly stop: () => Promise<void>;
  /** Whether there is data that must be written at the end. */
  readonly hasDataToKeep: () => boolean;
  readonly print: Print;
}

/** After this time the process ends even if a part has not stopped. Many messages take some seconds to be written. */
const longestStopMilliseconds = 1_800;
const longestKeepingMilliseconds = 60_000;
/** One Ctrl-C may come twice: from the terminal, and from npm, which passes it on a moment later. */
const sameSignalMilliseconds = 1_000;

const keeping =
  "Stopping. Orders, messages and secrets are being written for the next start with --keep; Ctrl-C again ends at once, without them.";
const notKept = "Ended before everything was written: the next start with --keep lacks some of it.";

/** The first signal stops everything in order. A second signal ends the process at once. */
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
      print(`Stopping failed. ${explainError(error) ?? String(error)}`);
      endEarly(keeps, print);
    },
  );
}

function endEarly(keeps: boolean, print: Print): never {
  if (keeps) print(notKept);
  process.exit(1);
}

const portTaken = z.object({ code: z.literal("EADDRINUSE"), port: z.number() });

/** A message for the user, without a stack trace. Undefined if the error is a bug, whose stack trace is needed. */
export function explainError(error: unknown): string | undefined {
  if (error instanceof PaycastError) return error.message;
  // The ports were free a moment before.
  const taken = portTaken.safeParse(error);
  if (!taken.success) return undefined;
  return `Another program has just taken port ${taken.data.port}. Start again to see which one.`;
}
