import * as z from "zod";
import { amountSchema, refundSchema } from "../../../shared/orders/schemas.ts";
import { createBodySchema, orderBodySchema } from "../../../shared/storefront/create-body.ts";
import {
  orderPaymentSchema,
  orderViewSchema,
  serviceRefusalSchema,
} from "../../../shared/storefront/order-view.ts";
import { callbackAnswerSchema, callbackEnvelopeSchema } from "./callback-schemas.ts";
import { fieldNotes } from "./field-notes.ts";
import { faultSchema, problemSchema } from "./problem-schema.ts";

export type JsonSchema = Record<string, unknown>;

/** The schemas of the functions' requests and answers, by their names in the document. */
const named = {
  NewOrder: createBodySchema,
  OrderContent: orderBodySchema,
  Goods: orderBodySchema.shape.goods.def.out.def.element,
  Shipping: orderBodySchema.shape.shipping.def.innerType,
  Order: orderViewSchema,
  OrderPayment: orderPaymentSchema,
  Refund: refundSchema,
  Amount: amountSchema,
  Problem: problemSchema,
  Fault: faultSchema,
  ServiceRefusal: serviceRefusalSchema,
  CallbackEnvelope: callbackEnvelopeSchema,
  CallbackAnswer: callbackAnswerSchema,
};

export type SchemaName = keyof typeof named;

export const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

/** As JSON Schema, with a description of each field. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, describe(name, schema)]),
  );
}

function describe(name: string, { $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema {
  const properties = Object.entries(Object(schema["properties"])).map(([field, property]) => [
    field,
    { description: fieldNotes[name]?.[field], ...Object(property) },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}
