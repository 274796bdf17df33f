import { PaycastEventError } from "./event-error.ts";
import eventShapes from "./event-shapes.json" with { type: "json" };
import { findFault, type Shape } from "./find-fault.ts";
import type { Envelope, KnownEvent } from "./typed-events.ts";

/**
 * An event of a type that this version of the package does not know: a newer Paycast sent it. Ignore it, or upgrade the
 * package. `type` is `"unknown"`, so that `switch (event.type)` distinguishes all events.
 */
export interface UnknownEvent extends Envelope {
  readonly type: "unknown";
  /** The type as it was sent. */
  readonly unknownType: string;
  readonly dataschema?: string;
  readonly data?: unknown;
}

/** Every event that `parseEvent` returns. `type` distinguishes them. */
export type PaycastEvent = KnownEvent | UnknownEvent;

/** The envelope is valid; `data` is not checked yet. */
interface Enveloped extends Envelope {
  readonly type: string;
  readonly dataschema: string;
}

/** `npm run docs` writes them from the schemas in shared/events. */
const shapes: Readonly<Record<string, Shape>> = eventShapes.shapes;
/** What each type requires in addition to the envelope. */
const typeShapes: Readonly<Record<string, Shape>> = eventShapes.types;

const envelopedShape: Shape = {
  $ref: "#/$defs/Envelope",
  required: ["type", "dataschema"],
  properties: { type: { type: "string", minLength: 1 }, dataschema: { type: "string" } },
};

/**
 * Reads an event from a message's body: the text, or the value that `JSON.parse` returns. Keeps unknown fields. Throws
 * `PaycastEventError` with `body-not-json`, `event-malformed` or `schema-unknown`.
 *
 * @example
 * ```ts
 * import { parseEvent } from "paycast-events";
 *
 * export function paidMinorUnits(body: string): bigint {
 *   const event = parseEvent(body);
 *   return event.type === "payment.order.success" ? BigInt(event.data.amount.minor) : 0n;
 * }
 * ```
 */
export function parseEvent(body: unknown): PaycastEvent {
  const event = typeof body === "string" ? parseJson(body) : body;
  assertEnveloped(event);
  const typeShape = Object.hasOwn(typeShapes, event.type) ? typeShapes[event.type] : undefined;
  if (typeShape === undefined) return { ...event, unknownType: event.type, type: "unknown" };
  refuseOtherSchema(event, typeShape);
  assertKnown(event, typeShape);
  return event;
}

function assertEnveloped(event: unknown): asserts event is Enveloped {
  refuse(findFault(event, envelopedShape, shapes));
}

function assertKnown(event: unknown, typeShape: Shape): asserts event is KnownEvent {
  refuse(findFault(event, typeShape, shapes));
}

/** The consumer wants this type, so the event must fail: the dead-letter queue keeps it until an upgrade. */
function refuseOtherSchema({ dataschema }: Enveloped, { properties }: Shape): void {
  if (dataschema === properties?.["dataschema"]?.const) return;
  throw new PaycastEventError(
    "schema-unknown",
    "The event has a dataschema that this version of paycast-events cannot read. Upgrade the package.",
    { path: "/dataschema" },
  );
}

function refuse(path: string | undefined): void {
  if (path === undefined) return;
  const message = `This is not an event that this version of paycast-events can read: ${path} is missing or wrong.`;
  throw new PaycastEventError("event-malformed", message, { path });
}

/** The error of JSON.parse would quote the body, so it is not the cause. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PaycastEventError("body-not-json", "The body of the message is not JSON.");
  }
}
