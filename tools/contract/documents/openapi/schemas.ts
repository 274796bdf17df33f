import * as z from "zod";
import type { ProblemCode } from "../../../../shared/errors/error-codes.ts";
import { amountSchema, refundSchema } from "../../../../shared/orders/schemas.ts";
import { createBodySchema, orderBodySchema } from "../../../../shared/storefront/create-body.ts";
import {
  orderPaymentSchema,
  orderViewSchema,
  serviceRefusalSchema,
} from "../../../../shared/storefront/order-view.ts";
import { type Problem, problemOf } from "../../../../shared/storefront/problem.ts";
import { problemDescriptions, problemKinds } from "../../../../shared/storefront/problem-kinds.ts";
import { describedSchemas, type JsonSchema } from "../json-schema.ts";
import { table } from "../markdown-table.ts";
import { fieldNotes } from "./field-notes.ts";

export const problemType = (kind: ProblemCode) => problemOf(kind, "").type;

/** Every kind of problem, as a table in Markdown. */
export function problemTable(): string {
  const rows = problemKinds.map((kind) => {
    const { status, when, whatToDo } = problemDescriptions[kind];
    return [`\`${problemType(kind)}\``, String(status), when, whatToDo];
  });
  return table(["`type`", "status", "when", "what to do"], rows);
}

/** RFC 9457. The types ensure that it matches what the functions send. */
const faultSchema = z.object({ pointer: z.string(), detail: z.string() });

const problemSchema = z.object({
  type: z.enum(problemKinds.map(problemType)),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  errors: z.array(faultSchema).exactOptional(),
  retryAfterSeconds: z.int().min(1).exactOptional(),
  service: z.exactOptional(serviceRefusalSchema),
}) satisfies z.ZodType<Problem>;

/** The callback envelope (§2.10). The function checks it by its own rules; a test compares both. */
const callbackEnvelopeSchema = z.looseObject({
  id: z.union([z.string().min(1).max(256), z.number()]),
  merchantId: z.union([z.string().min(1), z.number()]),
  eventName: z.string().min(1),
  format: z.string().optional(),
  charset: z.string().optional(),
  encryptType: z.string().optional(),
  signType: z.string().optional(),
  sign: z.string().min(1),
  timestamp: z.union([
    z.int().min(1_000_000_000_000).max(9_999_999_999_999),
    z.string().regex(/^[1-9][0-9]{12}$/),
  ]),
  body: z.string().min(1),
});

const callbackAnswerSchema = z.object({ code: z.int(), msg: z.string() });

/** The schemas of the functions' requests and responses, by their names in the document. */
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
  return describedSchemas(named, "#/components/schemas/", fieldNotes);
}
