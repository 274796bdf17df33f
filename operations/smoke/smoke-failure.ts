import type { PostResult } from "./post-callback.ts";

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

export const stopped = failure(
  "stopped",
  "The smoke test was stopped before its end.",
  "Run it again. It also deletes an event of this run that was still on its way.",
);

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
