import { PaycastError } from "../paycast-error.ts";

/** A running fetch of keys. It ends at its deadline even if the network never answers. */
export interface KeyFlight<T> {
  readonly startedAt: number;
  readonly landed: Promise<T>;
}

export function startFlight<T>(
  startedAt: number,
  deadlineMilliseconds: number,
  load: (signal: AbortSignal) => Promise<T>,
): KeyFlight<T> {
  const controller = new AbortController();
  const landed = new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(tooSlow(deadlineMilliseconds));
      controller.abort();
    }, deadlineMilliseconds);
    load(controller.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
  return { startedAt, landed };
}

function tooSlow(deadlineMilliseconds: number): PaycastError {
  return new PaycastError(
    "keys-unreachable",
    `Secrets Manager did not answer within ${deadlineMilliseconds} ms.`,
    { retryable: true },
  );
}
