import * as z from "zod";

const daySeconds = 86_400;

/** Without `orderNo` a fault applies to all orders. Without `times` it stays until it is switched off. */
const scope = {
  orderNo: z.string().min(1).max(64).exactOptional(),
  times: z.int().min(1).exactOptional(),
};
/** `attempts` is how many attempts of one callback are forged. The retry after them is authentic. */
const spoiled = { ...scope, attempts: z.int().min(1).default(1) };
const answered = { ...scope, operation: z.enum(["create", "query"]).exactOptional() };
const monthSeconds = 30 * daySeconds;
const yearSeconds = 365 * daySeconds;
const seconds = z.number().min(0).max(monthSeconds);
const withinAYear = z.number().min(-yearSeconds).max(yearSeconds);

/** Faults in the delivery of a callback. */
const wayFaults = [
  fault("send-twice", scope),
  fault("out-of-order", scope),
  fault("lose", scope),
  fault("delay", { ...scope, seconds: seconds.default(600) }),
] as const;

/** Faults in the service's records: every callback is authentic, but together they contradict each other. */
const bookFaults = [
  fault("duplicate-payment", scope),
  fault("conflicting-callback", {
    ...scope,
    changes: z.enum(["amount", "transaction"]).default("amount"),
  }),
] as const;

/** Faults that make a callback not authentic. */
const forgeryFaults = [
  fault("wrong-key", { ...spoiled, which: z.enum(["signing", "aes"]).default("signing") }),
  fault("tampered-body", {
    ...spoiled,
    how: z.enum(["plaintext", "ciphertext"]).default("plaintext"),
  }),
  fault("wrong-merchant", {
    ...spoiled,
    where: z.enum(["envelope", "result"]).default("envelope"),
    merchantId: z.string().min(1).max(18).default("somebody-else"),
  }),
  // A negative number of seconds gives a timestamp in the future.
  fault("old-timestamp", { ...spoiled, seconds: withinAYear.default(9 * daySeconds) }),
] as const;

/** Faults in the content of an authentic callback. */
const contentFaults = [
  fault("unknown-event", {
    ...scope,
    eventName: z.string().min(1).max(64).default("payment.order.unheard-of"),
  }),
  fault("malformed-result", {
    ...scope,
    how: z.enum(["not-json", "missing-fields", "wrong-types"]).default("not-json"),
  }),
  fault("wrong-amount", { ...scope, changes: z.enum(["amount", "currency"]).default("amount") }),
  fault("other-id", { ...scope, how: z.enum(["number", "braces", "text"]).default("number") }),
] as const;

/** Faults in the responses to create and query. */
const answerFaults = [
  // Real seconds, because the client that waits uses the real clock.
  fault("slow-answer", { ...answered, seconds: seconds.max(600).default(10) }),
  fault("refuse-creates", {
    ...scope,
    code: z.int().default(50_001),
    msg: z.string().default("rejected by a fault"),
    httpStatus: z.int().min(200).max(599).default(200),
  }),
  // "after": the work is done and only the response is lost.
  fault("reset-connections", { ...answered, when: z.enum(["before", "after"]).default("before") }),
  fault("broken-answer", {
    ...answered,
    how: z.enum(["html", "empty", "truncated", "http-404", "http-500"]).default("html"),
  }),
  fault("short-numbers", scope),
  fault("incomplete-answer", {
    ...scope,
    how: z
      .enum([
        "no-address",
        "long-address",
        "unsafe-address",
        "number-id",
        "http-201",
        "other-order",
      ])
      .default("no-address"),
  }),
] as const;

function fault<const Kind extends string, Fields extends z.ZodRawShape>(
  kind: Kind,
  fields: Fields,
) {
  return z.strictObject({ kind: z.literal(kind), ...fields });
}

export const faultSchema = z.discriminatedUnion("kind", [
  ...wayFaults,
  ...bookFaults,
  ...forgeryFaults,
  ...contentFaults,
  ...answerFaults,
]);
const answerFaultSchema = z.discriminatedUnion("kind", answerFaults);
const forgerySchema = z.discriminatedUnion("kind", forgeryFaults);
const contentSchema = z.discriminatedUnion("kind", contentFaults);

export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type FaultKind = Fault["kind"];
export type AnswerFault = z.output<typeof answerFaultSchema>;
export type ForgeryFault = z.output<typeof forgerySchema>;
export type ContentFault = z.output<typeof contentSchema>;
export type CallbackFault = Exclude<Fault, AnswerFault>;
export type ConflictFault = Extract<Fault, { kind: "conflicting-callback" }>;

/** Shown in the console and by `GET /control`. */
export const faultDescriptions: Readonly<Record<FaultKind, string>> = {
  "send-twice": "Every callback is sent twice at the same time with the same id.",
  "out-of-order":
    "A callback is held back until the next callback of its order is sent (at most a minute).",
  lose: "Callbacks are never sent. Only a query shows the status.",
  delay: "Callbacks are sent ten minutes late.",
  "duplicate-payment": "A second success follows the first, with its own id and transaction.",
  "conflicting-callback":
    "A second callback follows each callback, with the same id and another amount.",
  "wrong-key": "The first attempt is signed with a wrong key.",
  "tampered-body": "The body of the first attempt is changed after signing.",
  "wrong-merchant": "The first attempt names another merchant.",
  "old-timestamp": "The first attempt's timestamp is nine days old.",
  "unknown-event": "Callbacks have an event name that the interface does not define.",
  "malformed-result": "The result object inside an authentic callback cannot be read.",
  "wrong-amount": "The amount in the result object is one minor unit too high.",
  "other-id": "Callbacks have an id that is not a GUID: a number, a GUID in braces, or other text.",
  "slow-answer": "Create and query respond after ten seconds.",
  "refuse-creates": "Create is rejected, by default with code 50001.",
  "reset-connections": "The connection is reset without a response.",
  "broken-answer": "The response is an HTML page instead of JSON.",
  "short-numbers":
    "Responses and callbacks contain only the first 32 characters of a new order's number.",
  "incomplete-answer": "The response to create lacks the checkout address.",
};

/** Whether a fault of a response never affects a query. */
export function isOfCreate(kind: FaultKind): boolean {
  return ["refuse-creates", "short-numbers", "incomplete-answer"].includes(kind);
}

const answerKinds: readonly FaultKind[] = answerFaults.map(kindOf);

export function isAnswerFault(fault: Fault): fault is AnswerFault {
  return answerKinds.includes(fault.kind);
}

/** What a fault affects, for "affects the next … of ORDER-1". */
export function targetOf(kind: FaultKind): string {
  if (isOfCreate(kind)) return "creation";
  if (answerKinds.includes(kind)) return "creation or query";
  return kind === "duplicate-payment" ? "success" : "callback";
}

const forgeryKinds: readonly FaultKind[] = forgeryFaults.map(kindOf);

export function isForgeryFault(fault: Fault): fault is ForgeryFault {
  return forgeryKinds.includes(fault.kind);
}

function kindOf({ shape }: { readonly shape: { readonly kind: z.ZodLiteral<FaultKind> } }) {
  return shape.kind.value;
}

/** The kinds in the order of the console, with a heading for each group. */
export const faultGroups: readonly {
  readonly title: string;
  readonly kinds: readonly FaultKind[];
}[] = [
  { title: "Delivery of callbacks", kinds: wayFaults.map(kindOf) },
  { title: "Contradicting callbacks", kinds: bookFaults.map(kindOf) },
  { title: "Forged callbacks", kinds: forgeryKinds },
  { title: "Callbacks with wrong content", kinds: contentFaults.map(kindOf) },
  { title: "Responses to create and query", kinds: answerKinds },
];
