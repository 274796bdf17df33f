import { orderEventSchemaUri, refundEventSchemaUri } from "../../../../shared/events/event.ts";
import {
  type EventType,
  orderEventTypeOf,
  paymentStatuses,
  refundEventTypeOf,
  refundStatuses,
  statusRow,
} from "../../../../shared/facts/event-types.ts";
import { reference, shape, shapesWithin } from "../../generated-types/event-shapes.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { ShapeName } from "./named-shapes.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** What each type guarantees about `data`, in addition to its shape. */
export interface TypePromise {
  readonly type: EventType;
  readonly meaning: string;
  readonly dataschema: string;
  readonly shape: ShapeName;
  readonly status: string;
  /** Money moved, so the amount is always present. */
  readonly movesMoney: boolean;
}

const meanings: Readonly<Record<EventType, string>> = {
  "payment.order.confirming":
    "The consumer has submitted the payment, and the payment service is processing it.",
  "payment.order.timeout": "The order was not paid in time.",
  "payment.order.success": "The order is paid.",
  "payment.order.failed": "The payment failed.",
  "payment.refund.success": "A refund is completed: the consumer got money back.",
  "payment.refund.failed": "A refund failed: no money moved.",
};

export const typePromises: readonly TypePromise[] = [
  ...paymentStatuses.flatMap((status) => {
    const data = { dataschema: orderEventSchemaUri, shape: "OrderEventData" } as const;
    return promiseOf(status, orderEventTypeOf(status), data);
  }),
  ...refundStatuses.flatMap((status) => {
    const data = { dataschema: refundEventSchemaUri, shape: "RefundEventData" } as const;
    return promiseOf(status, refundEventTypeOf(status), data);
  }),
];

function promiseOf(
  status: string,
  type: EventType | undefined,
  data: Pick<TypePromise, "dataschema" | "shape">,
): TypePromise[] {
  if (type === undefined) return [];
  const { movesMoney = false } = statusRow(status) ?? {};
  return [{ type, meaning: meanings[type], ...data, status, movesMoney }];
}

/** Every schema of docs/schemas: one for each `dataschema`, and one for each event type. */
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

/** The schema of `data` of this type. */
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
  // A type has the version of its data.
  const version = promise.dataschema.split(":").at(-1);
  const $id = `urn:paycast:schema:${promise.type}:${version}`;
  const named = { title: promise.type, description: promise.meaning };
  return { $schema: dialect, $id, ...named, ...root, $defs: shapesWithin(root) };
}

function described(schema: JsonSchema = {}): JsonSchema {
  const { description } = schema;
  return description === undefined ? {} : { description };
}
