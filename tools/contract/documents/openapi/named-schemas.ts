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
import { problemKinds } from "../../../../shared/storefront/problem-kinds.ts";

export const problemType = (kind: ProblemCode) => problemOf(kind, "").type;

/** RFC 9457. The types ensure that it matches what the functions send. */
const faultSchema = z.object({ pointer: z.string(), detail: z.string() });

const problemSchema = z.object({
  type: z.enum(problemKinds.map(problemType)),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  errors: z.array(faultSchema).exactOptional(),
  retryAfterSeconds: z.int().min(1).exactOptional(),
  paymentId: z.string().optional(),
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
export const namedSchemas = {
  NewOrder: createBodySchema,
  OrderContent: orderBodySchema,
  Goods: orderBodySchema.shape.goods.def.out.def.element,
  Shipping: orderBodySchema.shape.shipping.def.in.def.innerType.def.innerType,
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
