import { PaycastEventError } from "./event-error.ts";
import eventShapes from "./event-shapes.json" with { type: "json" };
import { findFault, type Shape } from "./find-fault.ts";
import type { Envelope, KnownEvent } from "./typed-events.ts";

/**
 * An event of a type that this version of the package does not know: a newer Paycast sent it. Ignore it, or upgrade the
 * package. `type` is `"unknown"`, so that `switch (event.type)` tells all events apart.
 */
export interface UnknownEvent extends Envelope {
  readonly type: "unknown";
  /** The type as it was sent. */
  readonly unknownType: string;
  readonly dataschema?: string;
  readonly data?: unknown;
}

/** Every event that `parseEvent` gives. `type` tells them apart. */
export type PaycastEvent = KnownEvent | UnknownEvent;

/** The envelope is right; `data` is not checked yet. */
interface Enveloped extends Envelope {
  readonly type: string;
  readonly dataschema: string;
}

/** Made from the schemas in shared/events by `npm run docs`. */
const shapes: Readonly<Record<string, Shape>> = eventShapes.shapes;
/** What holds for the events of each type, in addition to the envelope. */
const typeShapes: Readonly<Record<string, Shape>> = eventShapes.types;

const envelopedShape: Shape = {
  $ref: "#/$defs/Envelope",
  required: ["type", "dataschema"],
  properties: { type: { type: "string", minLength: 1 }, dataschema: { type: "string" } },
};

/**
 * Reads an event from a message's body, as text or as JSON.parse gives it. Fields that this version does not know are
 * kept. Throws `PaycastEventError` with `body-not-json`, `event-malformed` or `schema-unknown`.
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

/** The consumer wants events of this type, so it must not ignore this one: dead letters keep it until an upgrade. */
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

/** The parser's own error would quote the body, so it is not the cause. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PaycastEventError("body-not-json", "The body of the message is not JSON.");
  }
}
