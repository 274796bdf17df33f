import * as z from "zod/mini";
import { currencyCodes } from "../money/currencies.ts";
import { isWithin } from "../text/characters.ts";
import { timeSchema } from "../time/read-time.ts";

/** The body of POST /orders: the interface's create body (§2.3 to §2.6). */
const amountInput = z.union(
  [z.number(), z.string()],
  "must be a number, or a string that holds one",
);

interface TextLimits {
  readonly mostCharacters?: number;
  readonly mayBeEmpty?: boolean;
  /** False for a name that becomes part of a path: no path can end in "." or "..". */
  readonly mayBeDots?: boolean;
}

const dots = [".", ".."];

/**
 * Lengths count characters as JSON Schema does: a character outside the BMP counts once. The rules are refinements
 * because zod's own length checks throw on an object that has a `length`.
 */
function text({ mostCharacters = Infinity, mayBeEmpty = false, mayBeDots = true }: TextLimits) {
  const schema = z.string().check(
    z.refine((value) => mayBeEmpty || value !== "", "must not be empty"),
    z.refine(
      (value) => isWithin(value, mostCharacters),
      `must be at most ${mostCharacters} characters long`,
    ),
    z.refine((value) => value.isWellFormed(), "must be well-formed text"),
    z.refine(
      (value) => mayBeDots || !dots.includes(value),
      'must not be "." or "..": no path can lead to it',
    ),
  );
  // JSON Schema cannot express a refinement, so the limits are registered for it.
  return schema.register(z.globalRegistry, {
    ...(!mayBeEmpty && { minLength: 1 }),
    ...(mostCharacters < Infinity && { maxLength: mostCharacters }),
    ...(!mayBeDots && { not: { enum: dots } }),
  });
}

const wholeNumber = "must be a whole number, 1 or more";

const goodsSchema = z.strictObject({
  referenceGoodsId: text({ mostCharacters: 64 }),
  goodsName: text({ mostCharacters: 256 }),
  goodsDesc: z.optional(text({ mostCharacters: 256, mayBeEmpty: true })),
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

const mostGoods = 100;

/** Whether the list is rejected for its length. Its items are then skipped. */
export function hasTooManyGoods(goods: unknown): boolean {
  return Array.isArray(goods) && goods.length > mostGoods;
}

/**
 * An array schema checks every element before the length of the array, and 100,000 wrong elements produce more issues
 * than the call stack can hold. So the length is checked before the elements and ends the check if it is wrong.
 */
const shortEnough = z.transform((goods: unknown, context) => {
  if (hasTooManyGoods(goods)) {
    const message = `must hold at most ${mostGoods} goods`;
    context.issues.push({ code: "custom", message, input: goods });
  }
  return goods;
});

const goodsListSchema = z.pipe(
  shortEnough,
  z
    .array(goodsSchema)
    .check(z.refine((goods) => goods.length >= 1, "must hold at least one good"))
    .register(z.globalRegistry, { minItems: 1, maxItems: mostGoods }),
);

const shippingSchema = z.strictObject({
  shipType: z.enum(["SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON"]),
  amount: z.optional(amountInput),
  // The interface sets no length for these (§2.6); the maximum body size limits them.
  name: text({}),
  address: z.optional(text({ mayBeEmpty: true })),
});

export const orderBodySchema = z.strictObject({
  orderNo: text({ mostCharacters: 64, mayBeDots: false }),
  orderAmount: amountInput,
  tips: z.optional(amountInput),
  discount: z.optional(amountInput),
  totalTax: z.optional(amountInput),
  insurance: z.optional(amountInput),
  handlingFee: z.optional(amountInput),
  shipping: z.optional(shippingSchema),
  shippingDiscount: z.optional(amountInput),
  orderDescription: z.optional(text({ mostCharacters: 256, mayBeEmpty: true })),
  goods: goodsListSchema,
});

export const createBodySchema = z.strictObject({
  /** Required if the stack has more than one merchant. */
  merchantId: z.optional(z.string()),
  order: orderBodySchema,
  channel: z.enum(["WEB", "APP"]),
  paymentAmount: amountInput,
  currency: z.enum(currencyCodes, "must be a current ISO 4217 code in capitals, such as USD"),
  paymentTime: z.optional(timeSchema),
  paymentExpiryTime: z.optional(timeSchema),
  /** Accepted but not used: callbacks must arrive at this stack. */
  callbackUrl: z.optional(text({ mostCharacters: 2048, mayBeEmpty: true })),
  redirectUrl: z.optional(text({ mostCharacters: 2048 })),
});

export type CreateBody = z.output<typeof createBodySchema>;
