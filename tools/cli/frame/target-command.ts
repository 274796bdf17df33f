import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { printable } from "../../../shared/text/terminal-text.ts";
import { explainAwsError } from "../../operations/explain-error.ts";
import { findTarget } from "../../operations/find-target.ts";
import { stackText } from "../../operations/ports/stack.ts";
import type { Target } from "../../operations/ports/target.ts";
import { chosenStack, type TargetValues, type Terminal } from "./command.ts";

/** Where this folder keeps the local stack's data. */
export function dataDirectory(): string {
  return process.env["PAYCAST_DIRECTORY"] ?? ".paycast";
}

/** Finds the target, runs the work, and closes the connections. `stopped` ends the finding, not the work. */
export async function withTarget<T>(
  values: TargetValues,
  work: (target: Target) => Promise<T>,
  stopped?: AbortSignal,
): Promise<T> {
  const finding = findTarget({ stack: chosenStack(values), directory: dataDirectory() });
  const target = await untilStopped(finding, stopped);
  try {
    return await work(target);
  } catch (error) {
    const isSilent = explainAwsError(error)?.code === "aws-unreachable";
    if (target.stack.kind === "deployed" || !isSilent) throw error;
    throw new PaycastError("aws-unreachable", localSilent);
  } finally {
    target.close();
  }
}

/**
 * The same for a command that changes something: it first prints the target, so that nobody changes the wrong stack.
 */
export async function withTargetToChange<T>(
  values: TargetValues,
  terminal: Terminal,
  work: (target: Target) => Promise<T>,
  stopped?: AbortSignal,
): Promise<T> {
  const change = async (target: Target) => {
    terminal.err(targetLine(target));
    return await work(target);
  };
  return await withTarget(values, change, stopped);
}

export function targetLine(target: Pick<Target, "stack">): string {
  return `Target: ${printable(stackText(target.stack))}\n`;
}

/** Waits for what only reads, but not after the user has stopped it. Throws `Stopped`. */
export async function untilStopped<T>(reading: Promise<T>, stopped?: AbortSignal): Promise<T> {
  if (stopped === undefined) return await reading;
  const stop = new Promise<never>((_resolve, reject) => {
    const end = () => reject(new Stopped());
    if (stopped.aborted) end();
    else stopped.addEventListener("abort", end, { once: true });
  });
  return await Promise.race([reading, stop]);
}

/** The user has stopped what only reads. */
export class Stopped extends Error {}

const localSilent =
  "The local stack does not respond. If it was stopped, start it again with npm start.";

/** The end of a preview. */
export const nothingChanged =
  "Nothing was changed. To make the change, run the same command with --yes.\n";
