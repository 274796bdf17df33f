import { setTimeout as wait } from "node:timers/promises";
import { type Answer, plainText } from "../http/serve.ts";
import type { AnswerFault } from "./fault.ts";

export interface Reply {
  status: number;
  type?: string;
  body: string;
}

/** Applies the faults to a response. "reset after" and "slow-answer" act when the work is done. */
export async function spoilAnswer(
  faults: readonly AnswerFault[],
  answer: () => Reply,
  refusal: (code: number, msg: string) => Reply,
): Promise<Answer> {
  const reset = faults.find((fault) => fault.kind === "reset-connections");
  if (reset?.when === "before") return { reset: true };
  const refuse = faults.find((fault) => fault.kind === "refuse-creates");
  const honest =
    refuse === undefined
      ? answer()
      : { ...refusal(refuse.code, refuse.msg), status: refuse.httpStatus };
  const slow = faults.find((fault) => fault.kind === "slow-answer");
  if (slow !== undefined) await wait(slow.seconds * 1000, undefined, { ref: false });
  if (reset !== undefined) return { reset: true };
  const broken = faults.find((fault) => fault.kind === "broken-answer");
  return broken === undefined ? honest : breakReply(honest, broken.how);
}

function breakReply(
  honest: Reply,
  how: Extract<AnswerFault, { kind: "broken-answer" }>["how"],
): Answer {
  switch (how) {
    case "html":
      return {
        status: 200,
        type: "text/html",
        body: "<html><body>Please try again later</body></html>",
      };
    case "empty":
      return { ...honest, body: "" };
    case "truncated":
      return { ...honest, body: honest.body.slice(0, honest.body.length / 2) };
    case "http-404":
      return plainText(404, "Not found");
    case "http-500":
      return plainText(500, "Internal error");
  }
}
