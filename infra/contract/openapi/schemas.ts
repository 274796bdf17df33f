import * as z from "zod";
import { amountSchema, refundSchema } from "../../../shared/orders/schemas.ts";
import { createBodySchema, orderBodySchema } from "../../../shared/storefront/create-body.ts";
import {
  orderPaymentSchema,
  orderViewSchema,
  serviceRefusalSchema,
} from "../../../shared/storefront/order-view.ts";
import { fieldNotes } from "./field-notes.ts";
import { faultSchema, problemSchema } from "./problem-schema.ts";

/** The callback envelope (§2.10). The function checks it by its own rules; a test compares both. */
const callbackEnvelopeSchema = z.looseObject({
  id: z.string().regex(/^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$/),
  merchantId: z.string().min(1).max(1024),
  eventName: z.string().min(1).max(1024),
  format: z.enum(["json"]).optional(),
  charset: z.enum(["utf-8", "UTF-8"]).optional(),
  encryptType: z.enum(["AES"]).optional(),
  signType: z.enum(["RSA"]).optional(),
  sign: z.string().min(1),
  timestamp: z.union([
    z.int().min(1_000_000_000_000).max(9_999_999_999_999),
    z.string().regex(/^[1-9][0-9]{12}$/),
  ]),
  body: z.string().min(1),
});

const callbackAnswerSchema = z.object({ code: z.int(), msg: z.string() });

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
