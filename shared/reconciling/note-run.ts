import type { Order } from "../orders/order.ts";
import { PaycastError } from "../paycast-error.ts";
import type { Result } from "./after-questions.ts";
import type { DueEntry } from "./find-due.ts";
import type { Run } from "./run-line.ts";

/** Takes the result of each question about an order into the run. */
export function noteResult({ aggregateKey, merchantId }: Order, run: Run) {
  return (result: Result): void => {
    run.results.push(result.kind);
    if ("error" in result) noteTrouble(result.error, aggregateKey, run);
    if (result.kind === "failed") noteFailedQuestion(result.error, merchantId, run);
    else run.failuresInARow = 0;
  };
}

/** An error of one merchant's keys says nothing about the service, so it must not end the run for the others. */
function noteFailedQuestion(error: unknown, merchantId: string, run: Run): void {
  if (isAboutKeys(error)) {
    run.merchantsWithoutKeys.add(merchantId);
  } else if (mayPass(error)) {
    run.failuresInARow += 1;
    run.failingMerchants.add(merchantId);
  }
}

/** What an entry threw: the table failed, or the item does not fit into it. */
export function noteFailedEntry(error: unknown, { aggregateKey }: DueEntry, run: Run): void {
  run.failedEntries += 1;
  if (mayPass(error)) run.failuresInARow += 1;
  noteTrouble(error, aggregateKey, run);
}

export function noteUnreadable({ aggregateKey }: DueEntry, run: Run): void {
  run.unreadableItems += 1;
  run.troubledKeys.push(aggregateKey);
}

export function countUnresolved(before: Order, after: Order, run: Run): void {
  const isNew = after.flags.includes("unresolved") && !before.flags.includes("unresolved");
  if (!isNew) return;
  run.unresolved += 1;
  // First, because its alarm sends a person to this line.
  run.troubledKeys.unshift(after.aggregateKey);
}

function noteTrouble(error: unknown, aggregateKey: string, run: Run): void {
  run.firstError ??= error;
  run.troubledKeys.push(aggregateKey);
}

/** An error that no retry fixes, such as an item that is too large, says nothing about the service. */
function mayPass(error: unknown): boolean {
  return !(error instanceof PaycastError) || error.retryable;
}

function isAboutKeys(error: unknown): boolean {
  return error instanceof PaycastError && /^(keys|profile)-/.test(error.code);
}
