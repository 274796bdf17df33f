import * as z from "zod";
import { JsonNumber } from "../wire/exact-json.ts";
import { decimalsOf } from "./money.ts";

const object = { error: said("must be an object") };

/** Numbers may be JSON numbers or strings, because the interface shows both (§2.3, §2.10). */
const digits = z
  .union([z.string(), z.instanceof(JsonNumber)], { error: said("must be a number") })
  .transform((value) => (typeof value === "string" ? value : value.text));

const time = digits
  .refine((value) => /^\d{13}$/.test(value), "must be 13 digits (milliseconds)")
  .transform(Number);
const quantity = digits
  .refine((value) => /^\d{1,9}(?:\.\d{1,6})?$/.test(value), "must be a plain number")
  .refine((value) => Number(value) > 0, "must be above 0");

/** Lengths count characters and not UTF-16 units: an emoji counts as one. */
function text(minimum: number, maximum: number) {
  return z
    .string({ error: said("must be text") })
    .refine(
      (value) => [...value].length >= minimum && [...value].length <= maximum,
      `must be ${minimum > 0 ? `${minimum} to` : "at most"} ${maximum} characters long`,
    );
}

/** The goods object (§2.5). Its amount has two names there. */
const goods = z
  .object(
    {
      referenceGoodsId: text(1, 64),
      goodsName: text(1, 256),
      goodsDesc: text(0, 256).exactOptional(),
      goodsAmount: digits.exactOptional(),
      goodsUnitAmount: digits.exactOptional(),
      tax: digits.exactOptional(),
      goodsQuantity: quantity.exactOptional(),
    },
    object,
  )
  .refine((item) => item.goodsAmount === undefined || item.goodsUnitAmount === undefined, {
    path: ["goodsUnitAmount"],
    message: "must not be given beside goodsAmount",
  });

/** The shipping object (§2.6). */
const shipping = z.object(
  {
    shipType: oneOf(["SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON"]),
    amount: digits.exactOptional(),
    // The interface gives no length for these two.
    name: z.string({ error: said("must be text") }).min(1, "must not be empty"),
    address: z.string({ error: said("must be text") }).exactOptional(),
  },
  object,
);

/** The order object (§2.4). */
const order = z.object(
  {
    orderNo: text(1, 64),
    orderAmount: digits,
    tips: digits.exactOptional(),
    discount: digits.exactOptional(),
    totalTax: digits.exactOptional(),
    insurance: digits.exactOptional(),
    handlingFee: digits.exactOptional(),
    shipping: shipping.exactOptional(),
    shippingDiscount: digits.exactOptional(),
    orderDescription: text(0, 256).exactOptional(),
    goods: z
      .array(goods, { error: said("must be a list") })
      .min(1, "must have at least one entry")
      .max(100, "must have at most 100 entries"),
  },
  object,
);

/** The create body (§2.3): shapes, lengths and closed sets. Rules over several fields are in `create-rules.ts`. */
export const createBodySchema = z.object(
  {
    order,
    channel: oneOf(["WEB", "APP"]),
    paymentAmount: digits,
    currency: z
      .string({ error: said("must be text") })
      .refine((code) => decimalsOf(code) !== undefined, "must be an ISO 4217 currency code"),
    paymentTime: time,
    paymentExpiryTime: time,
    callbackUrl: text(1, 2048).exactOptional(),
    redirectUrl: text(1, 2048).exactOptional(),
  },
  object,
);

export type CreateBody = z.output<typeof createBodySchema>;
export type CreateGoods = CreateBody["order"]["goods"][number];

function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: said(`must be one of ${values.join(", ")}`) });
}

function said(fault: string) {
  return (issue: { input: unknown }) => (issue.input === undefined ? "is missing" : fault);
}
