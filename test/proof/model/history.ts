import fc from "fast-check";
import type { Ended } from "./definitions.ts";
import { type Fault, noFault } from "./product.ts";

const ids = fc.integer({ min: 1, max: 5 });

/** From a few attempts, ids and refunds, so that many facts are reported twice. */
const callbacks = fc.record({
  attempt: fc.nat(2),
  status: fc.constantFrom("confirming", "timeout", "failed", "success"),
  isRight: fc.boolean(),
  hasTransaction: fc.boolean(),
  id: ids,
});

const refunds = fc.record({
  payment: fc.integer({ min: 1, max: 3 }),
  refund: fc.constantFrom("R400", "R700"),
  status: fc.constantFrom("refund_failed", "refund_success"),
  id: ids,
});

export type Callback = typeof callbacks extends fc.Arbitrary<infer T> ? T : never;
export type Refund = typeof refunds extends fc.Arbitrary<infer T> ? T : never;
export type Step =
  | { kind: "create"; end: Ended["end"]; meanwhile: Callback | undefined }
  | ({ kind: "callback" } & Callback)
  | ({ kind: "refund" } & Refund)
  | { kind: "query"; status: string }
  | { kind: "repeat"; message: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("create" as const),
    end: fc.constantFrom("created", "refused", "unknown"),
    meanwhile: fc.option(callbacks, { nil: undefined, freq: 3 }),
  }),
  callbacks.map((callback) => ({ kind: "callback" as const, ...callback })),
  refunds.map((refund) => ({ kind: "refund" as const, ...refund })),
  fc.record({
    kind: fc.constant("query" as const),
    status: fc.constantFrom("pending", "confirming", "timeout", "failed", "success"),
  }),
  fc.record({ kind: fc.constant("repeat" as const), message: fc.nat(5) }),
);

const faults: fc.Arbitrary<Fault> = fc.oneof(
  { withCrossShrink: true },
  fc.constant(noFault),
  fc.record({
    kind: fc.constantFrom("refused", "answer lost", "crash before", "crash after"),
    call: fc.integer({ min: 1, max: 6 }),
  }),
);

export const histories = fc.record({
  /** Either all successes name their transaction, or an attempt is always reported with the same amount. */
  namesTransactions: fc.boolean(),
  steps: fc.array(fc.record({ step: steps, fault: faults }), { maxLength: 12 }),
});

export function tell(step: Step, fault: Fault): string {
  const but = fault.kind === "none" ? "" : `, but call ${fault.call}: ${fault.kind}`;
  return `${wordsOf(step)}${but}`;
}

function wordsOf(step: Step): string {
  if (step.kind === "create") {
    const meanwhile = step.meanwhile ? `; before that, ${callbackWords(step.meanwhile)}` : "";
    return `the shop creates the order: ${step.end}${meanwhile}`;
  }
  if (step.kind === "callback") return callbackWords(step);
  if (step.kind === "query") return `the shop asks, and the service says ${step.status}`;
  if (step.kind === "repeat") return `message ${step.message + 1} comes again`;
  const { id, status, refund, payment } = step;
  return `callback C${id}: ${status} of ${refund} of payment P${payment}`;
}

function callbackWords({ id, status, attempt, isRight, hasTransaction }: Callback): string {
  const amount = isRight ? "" : ", another amount";
  const transaction = hasTransaction ? "" : ", no transaction";
  return `callback C${id}: ${status} of attempt ${attempt + 1}${amount}${transaction}`;
}
