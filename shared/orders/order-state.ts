import * as z from "zod/mini";

/** The service's own code and message, and when it refused. */
export const refusalSchema = z.object({
  code: z.string(),
  msg: z.string(),
  atMilliseconds: z.int(),
});
export type Refusal = z.output<typeof refusalSchema>;

/**
 * How far an order is between its creation, the service and reconciliation, beside its status. Each kind stores what it
 * needs: nothing about it is worked out from other fields. state-words.ts explains them, and order-moves.ts says which
 * state follows which.
 */
export const stateSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("new") }),
  z.object({ kind: z.literal("heard") }),
  z.object({ kind: z.literal("foreign") }),
  z.object({ kind: z.literal("sending") }),
  z.object({ kind: z.literal("unsent") }),
  z.object({ kind: z.literal("refused"), ...refusalSchema.shape }),
  z.object({ kind: z.literal("outcome-unknown") }),
  z.object({ kind: z.literal("reported") }),
  /** `waitingSince`: when it should have ended. */
  z.object({ kind: z.literal("open"), waitingSinceMilliseconds: z.int() }),
  /** The same for a payment that the service returned without what the consumer needs to pay. */
  z.object({ kind: z.literal("incomplete"), waitingSinceMilliseconds: z.int() }),
  /** `waitingSince`: when the end became known. The last check confirms it from `confirmAt` on. */
  z.object({
    kind: z.literal("ended"),
    waitingSinceMilliseconds: z.int(),
    confirmAtMilliseconds: z.int(),
  }),
  z.object({ kind: z.literal("confirmed"), waitingSinceMilliseconds: z.int() }),
  z.object({ kind: z.literal("unresolved"), waitingSinceMilliseconds: z.int() }),
  z.object({ kind: z.literal("paid") }),
]);

export type OrderState = z.output<typeof stateSchema>;
export type StateKind = OrderState["kind"];

export const stateKinds = [
  "new",
  "heard",
  "foreign",
  "sending",
  "unsent",
  "refused",
  "outcome-unknown",
  "reported",
  "open",
  "incomplete",
  "ended",
  "confirmed",
  "unresolved",
  "paid",
] as const satisfies readonly StateKind[];
