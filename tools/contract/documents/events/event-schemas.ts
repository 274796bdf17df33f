import { orderEventSchemaUri, refundEventSchemaUri } from "../../../../shared/events/event.ts";
import {
  type EventType,
  eventTypes,
  orderEventTypeOf,
  paymentStatuses,
  refundEventTypeOf,
  refundStatuses,
} from "../../../../shared/facts/event-types.ts";
import {
  reference,
  type ShapeName,
  shape,
  shapesWithin,
} from "../../generated-types/event-shapes.ts";
import type { JsonSchema } from "../json-schema.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** What each type promises about `data`, in addition to its shape. */
export interface TypePromise {
  readonly type: EventType;
  readonly meaning: string;
  readonly dataschema: string;
  readonly shape: ShapeName;
  readonly status: string;
  /** Money moved, so its amount is always there. */
  readonly movesMoney: boolean;
}

const meanings: Readonly<Record<EventType, string>> = {
  "payment.order.confirming":
    "The consumer has submitted the payment, and the service is processing it.",
  "payment.order.timeout": "The order was not paid in time.",
  "payment.order.success": "The order is paid.",
  "payment.order.failed": "The payment failed.",
  "payment.refund.success": "A refund is completed: money went back to the consumer.",
  "payment.refund.failed": "A refund failed: no money moved.",
};

export const typePromises: readonly TypePromise[] = eventTypes.map((type) => {
  const isRefund = type.startsWith("payment.refund.");
  return {
    type,
    meaning: meanings[type],
    dataschema: isRefund ? refundEventSchemaUri : orderEventSchemaUri,
    shape: isRefund ? "RefundEventData" : "OrderEventData",
    status: statusOf(type),
    movesMoney: type.endsWith(".success"),
  };
});

/** Every schema of docs/schemas: one for each `dataschema`, and one for each type of event as a whole. */
export function eventSchemas(): readonly JsonSchema[] {
  return [
    dataSchema(orderEventSchemaUri, "OrderEventData"),
    dataSchema(refundEventSchemaUri, "RefundEventData"),
    ...typePromises.map(typeSchema),
  ];
}

/** `urn:paycast:schema:payment-order-event:1` is in `payment-order-event.1.json`. */
export function schemaFile({ $id = "" }: JsonSchema): string {
  return `${$id.replace("urn:paycast:schema:", "").replace(":", ".")}.json`;
}

/** The envelope of one type, with its `data` by reference. */
export function envelopeOf({ type, dataschema, ...promise }: TypePromise): JsonSchema {
  const { properties = {}, ...envelope } = shape("Envelope");
  return {
    ...envelope,
    properties: {
      ...properties,
      type: { ...described(properties["type"]), type: "string", const: type },
      dataschema: { ...described(properties["dataschema"]), type: "string", const: dataschema },
      data: { ...described(properties["data"]), ...promisedData(promise) },
    },
  };
}

/** What holds for `data` of this type. */
export function promisedData({ status, movesMoney, shape: name }: DataPromise): JsonSchema {
  const properties = { status: { const: status } };
  const promised = movesMoney
    ? { properties: { ...properties, amount: {} }, required: ["amount"] }
    : { properties };
  return { ...reference(name), type: "object", ...promised };
}

type DataPromise = Pick<TypePromise, "shape" | "status" | "movesMoney">;

function dataSchema($id: string, name: ShapeName): JsonSchema {
  const root = shape(name);
  return { $schema: dialect, $id, ...root, $defs: shapesWithin(root) };
}

function typeSchema(promise: TypePromise): JsonSchema {
  const root = envelopeOf(promise);
  // A type has the version of its data: when that changes, the whole event changes.
  const version = promise.dataschema.split(":").at(-1);
  const $id = `urn:paycast:schema:${promise.type}:${version}`;
  const named = { title: promise.type, description: promise.meaning };
  return { $schema: dialect, $id, ...named, ...root, $defs: shapesWithin(root) };
}

function described(schema: JsonSchema = {}): JsonSchema {
  const { description } = schema;
  return description === undefined ? {} : { description };
}

function statusOf(type: EventType): string {
  const ofOrder = paymentStatuses.find((status) => orderEventTypeOf(status) === type);
  const status = ofOrder ?? refundStatuses.find((one) => refundEventTypeOf(one) === type);
  if (status === undefined) throw new Error(`No status has the event type ${type}`);
  return status;
}
