import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { connectionFailure } from "../explain-error.ts";
import { stoppedOrLate } from "../stopped-or-late.ts";

/** How far a smoke test got. */
type SmokeStage =
  | "api-unreachable"
  | "api-unexpected"
  | "refused"
  | "not-stored"
  | "no-event"
  | "wrong-event"
  | "second-event"
  | "stopped";

export interface SmokeFailure {
  readonly passed: false;
  readonly stage: SmokeStage;
  readonly message: string;
  readonly action: string;
}

export function failure(stage: SmokeStage, message: string, action: string): SmokeFailure {
  return { passed: false, stage, message, action };
}

interface PostCallback {
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  /** The pause before the next attempt. */
  readonly repeatMilliseconds: number;
  /** Stands in the message of a failure, such as " when it was sent again". */
  readonly when: string;
}

/** API Gateway gives up after 30 seconds. */
const attemptMilliseconds = 35_000;

/**
 * Posts until the callback is stored or the time is over, and returns the number of attempts. The last failure shows
 * the stage that does not work. Early rejections mean nothing: a warm instance fetches new keys at most once a minute.
 */
export async function postUntilStored(
  url: string,
  body: string,
  deps: PostCallback,
): Promise<number | SmokeFailure> {
  for (let attempts = 1; ; attempts += 1) {
    const failed = await postOnce(url, body, deps);
    if (failed === undefined) return attempts;
    const isFinal = failed.stage === "api-unexpected";
    if (isFinal || deps.now() + deps.repeatMilliseconds >= deps.endsAt) return failed;
    await pause(deps.repeatMilliseconds, undefined, { signal: deps.signal });
  }
}

async function postOnce(
  url: string,
  body: string,
  { fetch, signal: stopped, when }: PostCallback,
): Promise<SmokeFailure | undefined> {
  const signal = stoppedOrLate(stopped, attemptMilliseconds);
  const headers = { "content-type": "application/json" };
  try {
    const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    return failureIn(answer.status, await answer.text(), when);
  } catch (error) {
    if (stopped.aborted) throw error;
    return failure(
      "api-unreachable",
      `The API could not be reached${when} (${connectionFailure(error)}).`,
      "Check its domain, DNS and certificate: npx paycast check.",
    );
  }
}

const storedSchema = z.object({ code: z.literal(20000) });

/** Undefined if the callback is stored. */
function failureIn(status: number, text: string, when: string): SmokeFailure | undefined {
  if (status === 200 && storedSchema.safeParse(parseJson(text)).success) return undefined;
  if (status === 401) {
    return failure(
      "refused",
      `The callback was rejected as not authentic (401)${when}, although its keys were stored.`,
      "Run it again when no other smoke test runs. Check the clock of this machine: npx paycast check.",
    );
  }
  if (status === 429 || status >= 500) {
    return failure(
      "not-stored",
      `The callback was not stored (503)${when}.`,
      "Read the log of receive-callback: the inbox or Secrets Manager does not respond.",
    );
  }
  return failure(
    "api-unexpected",
    `The API returned ${status}${when}, which is not a response of receive-callback.`,
    "Check that the address leads to this stack: its domain, DNS and routes.",
  );
}
