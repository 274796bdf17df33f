import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { connectionFailure } from "../target/explain-error.ts";

/** How posting ended. `unexpected`: something else than receive-callback answered. */
export type PostResult =
  | { readonly kind: "stored"; readonly attempts: number; readonly milliseconds: number }
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "refused" | "not-stored" }
  | { readonly kind: "unexpected"; readonly status: number };

export interface PostCallback {
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly endsAt: number;
}

/** A warm instance fetches new keys at most once a minute, so early refusals mean nothing. */
const pauseMilliseconds = 2_000;
/** API Gateway gives up after 30 seconds. */
const attemptMilliseconds = 35_000;

/** Posts until the callback is stored or the time is over. The last failure tells the stage that does not work. */
export async function postUntilStored(
  url: string,
  body: string,
  deps: PostCallback,
): Promise<PostResult> {
  const startedAt = deps.now();
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await postOnce(url, body, deps);
    if (outcome === "stored") {
      return { kind: "stored", attempts, milliseconds: deps.now() - startedAt };
    }
    const isFinal = outcome.kind === "unexpected";
    if (isFinal || deps.now() + pauseMilliseconds >= deps.endsAt) return outcome;
    await pause(pauseMilliseconds, undefined, { signal: deps.signal });
  }
}

type Failure = Exclude<PostResult, { kind: "stored" }>;

async function postOnce(
  url: string,
  body: string,
  { fetch, signal }: PostCallback,
): Promise<"stored" | Failure> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(attemptMilliseconds)]);
  const headers = { "content-type": "application/json" };
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers,
      body,
      signal: limit,
      redirect: "manual",
    });
    return readAnswer(answer.status, await answer.text());
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: "unreachable", reason: connectionFailure(error) };
  }
}

const storedSchema = z.object({ code: z.literal(20000) });

function readAnswer(status: number, text: string): "stored" | Failure {
  if (status === 200 && storedSchema.safeParse(parseJson(text)).success) return "stored";
  if (status === 401) return { kind: "refused" };
  if (status === 429 || status >= 500) return { kind: "not-stored" };
  return { kind: "unexpected", status };
}

/** How far a smoke test came. */
export type SmokeStage =
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

/** What it means that a callback could not be stored. `when` names the second, equal request. */
export function failedPost(
  outcome: Exclude<PostResult, { kind: "stored" }>,
  when = "",
): SmokeFailure {
  switch (outcome.kind) {
    case "unreachable":
      return failure(
        "api-unreachable",
        `The API could not be reached${when} (${outcome.reason}).`,
        "Check its domain, DNS and certificate: npx paycast check.",
      );
    case "refused":
      return failure(
        "refused",
        `The callback was refused as not authentic (401)${when}, although its keys were stored.`,
        "Run it again when no other smoke test runs. Check the clock of this machine: npx paycast check.",
      );
    case "not-stored":
      return failure(
        "not-stored",
        `The callback was not stored (503)${when}.`,
        "Read the log of receive-callback: the inbox or Secrets Manager does not answer.",
      );
    case "unexpected":
      return failure(
        "api-unexpected",
        `The API answered ${outcome.status}${when}, which is no answer of receive-callback.`,
        "Check that the address leads to this stack: its domain, DNS and routes.",
      );
  }
}
