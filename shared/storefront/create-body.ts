import * as z from "zod/mini";
import { currencyCodes } from "../money/currencies.ts";
import { timestampSchema } from "../time/timestamp.ts";

/** The body of POST /orders: the interface's create body (§2.3 to §2.6) without `callbackUrl`. */
const amountInput = z.union(
  [z.number(), z.string()],
  "must be a number, or a string that holds one",
);

/**
 * Lengths count characters as people do, and JSON Schema: a character outside the BMP is one. They are refined,
 * since the schema library's own checks of length throw on an object that has a `length`.
 */
function text(mostCharacters: number) {
  const schema = z.string().check(
    z.refine((value) => value !== "", "must not be empty"),
    z.refine(
      (value) => [...value].length <= mostCharacters,
      `must be at most ${mostCharacters} characters long`,
    ),
    z.refine((value) => value.isWellFormed(), "must be well-formed text"),
  );
  // A refinement says nothing of itself to whoever makes a JSON Schema of this.
  return schema.register(z.globalRegistry, { minLength: 1, maxLength: mostCharacters });
}

const wholeNumber = "must be a whole number from 1";

const goodsSchema = z.strictObject({
  referenceGoodsId: text(64),
  goodsName: text(256),
  goodsDesc: z.optional(text(256)),
  goodsAmount: z.optional(amountInput),
  goodsUnitAmount: z.optional(amountInput),
  tax: z.optional(amountInput),
  goodsQuantity: z.optional(
    z.union(
      [
        z.int(wholeNumber).check(z.gte(1, wholeNumber)),
        z.string().check(z.regex(/^[1-9]\d{0,14}$/, wholeNumber)),
      ],
      wholeNumber,
    ),
  ),
});

const goodsListSchema = z
  .array(goodsSchema)
  .check(
    z.refine((goods) => goods.length >= 1, "must hold at least one good"),
    z.refine((goods) => goods.length <= 100, "must hold at most 100 goods"),
  )
  .register(z.globalRegistry, { minItems: 1, maxItems: 100 });

const shippingSchema = z.strictObject({
  shipType: z.enum(["SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON"]),
  amount: z.optional(amountInput),
  name: text(256),
  address: z.optional(text(1024)),
});

export const orderBodySchema = z.strictObject({
  orderNo: text(64),
  orderAmount: amountInput,
  tips: z.optional(amountInput),
  discount: z.optional(amountInput),
  totalTax: z.optional(amountInput),
  insurance: z.optional(amountInput),
  handlingFee: z.optional(amountInput),
  shipping: z.optional(shippingSchema),
  shippingDiscount: z.optional(amountInput),
  orderDescription: z.optional(text(256)),
  goods: goodsListSchema,
});

export const createBodySchema = z.strictObject({
  /** Needed where more than one merchant is configured. */
  merchantId: z.optional(z.string()),
  order: orderBodySchema,
  channel: z.enum(["WEB", "APP"]),
  paymentAmount: amountInput,
  currency: z.enum(currencyCodes, "must be a current ISO 4217 code in capitals, such as USD"),
  paymentTime: z.optional(timestampSchema),
  paymentExpiryTime: z.optional(timestampSchema),
  redirectUrl: z.optional(text(2048)),
});

export type CreateBody = z.output<typeof createBodySchema>;
