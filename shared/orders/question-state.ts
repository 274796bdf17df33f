import * as z from "zod/mini";

/** The latest query about an order. The next one is not sent before `untilMilliseconds`. question.ts has the moves. */
export const questionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  /** A caller queries the service. */
  z.object({
    kind: z.literal("asking"),
    untilMilliseconds: z.int(),
    /** A random number of the caller. Without it, two callers in the same millisecond would write equal items. */
    by: z.int(),
  }),
  /** The response is news and is still in the inbox. It has arrived when the order has this fact. */
  z.object({ kind: z.literal("awaiting"), untilMilliseconds: z.int(), factId: z.string() }),
  /** The service responded. `isConfirmation`: the response is the stored status. */
  z.object({
    kind: z.literal("answered"),
    untilMilliseconds: z.int(),
    isConfirmation: z.boolean(),
  }),
]);

export type Question = z.output<typeof questionSchema>;
export type QuestionKind = Question["kind"];
export const questionKinds = [
  "none",
  "asking",
  "awaiting",
  "answered",
] as const satisfies readonly QuestionKind[];
