import * as z from "zod/mini";
import { currencyCodes } from "../money/currencies.ts";
import { plainDecimal } from "../money/exact-numbers.ts";
import { isWithin } from "../text/characters.ts";
import { timeSchema } from "../time/read-time.ts";

/** The body of POST /orders: the interface's create body (§2.3 to §2.6). */
const amountInput = z.union(
  [z.number(), z.string()],
  "must be a number, or a string that holds one",
);

/** §2 calls these fields not required: a caller may leave them out or send null, which then means the same. */
function optional<T extends z.ZodMiniType>(schema: T) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? undefined),
  );
}

interface TextLimits {
  readonly mostCharacters?: number;
  readonly mayBeEmpty?: boolean;
  /**
   * True for a name that becomes part of a path and of a line in logs and lists: no path can end in "." or "..", and
   * control characters are invisible there.
   */
  readonly isName?: boolean;
}

const dots = [".", ".."];
const control = /\p{Cc}/u;
/** The same for JSON Schema, which knows no character classes of Unicode. */
const withoutControl = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/**
 * Lengths count characters as JSON Schema does: a character outside the BMP counts once. The rules are refinements
 * because zod's own length checks throw on an object that has a `length`.
 */
function text({ mostCharacters = Infinity, mayBeEmpty = false, isName = false }: TextLimits) {
  const schema = z.string().check(
    z.refine((value) => mayBeEmpty || value !== "", "must not be empty"),
    z.refine(
      (value) => isWithin(value, mostCharacters),
      `must be at most ${mostCharacters} characters long`,
    ),
    z.refine((value) => value.isWellFormed(), "must be well-formed text"),
    z.refine(
      (value) => !isName || !dots.includes(value),
      'must not be "." or "..": no path can lead to it',
    ),
    z.refine((value) => !isName || !control.test(value), "must not hold control characters"),
  );
  // JSON Schema cannot express a refinement, so the limits are registered for it.
  return schema.register(z.globalRegistry, {
    ...(!mayBeEmpty && { minLength: 1 }),
    ...(mostCharacters < Infinity && { maxLength: mostCharacters }),
    ...(isName && { not: { enum: dots }, pattern: withoutControl }),
  });
}

const positiveNumber = "must be a number above 0, with at most 15 digits";

const positiveDecimal = /^(?!0+(?:\.0+)?$)(?=(?:\.?\d){1,15}$)(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** JavaScript writes a large or very small number with an exponent. */
function isPositiveDecimal(quantity: number): boolean {
  return positiveDecimal.test(plainDecimal(String(quantity)) ?? "");
}

/** §2.5 calls it a number: goods may be sold by weight. */
export const quantitySchema = z.union(
  [
    z
      .number(positiveNumber)
      .check(
        z.gt(0, { error: positiveNumber, abort: true }),
        z.refine(isPositiveDecimal, positiveNumber),
      ),
    z.string().check(z.regex(positiveDecimal, positiveNumber)),
  ],
  positiveNumber,
);

const goodsSchema = z.strictObject({
  referenceGoodsId: text({ mostCharacters: 64 }),
  goodsName: text({ mostCharacters: 256 }),
  goodsDesc: optional(text({ mostCharacters: 256, mayBeEmpty: true })),
  goodsAmount: optional(amountInput),
  goodsUnitAmount: optional(amountInput),
  tax: optional(amountInput),
  goodsQuantity: optional(quantitySchema),
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

/** The interface sets no length for these (§2.6). */
const longestReceiver = 1_024;

const shippingSchema = z.strictObject({
  shipType: z.enum(["SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON"]),
  amount: optional(amountInput),
  name: text({ mostCharacters: longestReceiver }),
  address: optional(text({ mostCharacters: longestReceiver, mayBeEmpty: true })),
});

export const orderBodySchema = z.strictObject({
  orderNo: text({ mostCharacters: 64, isName: true }),
  orderAmount: amountInput,
  tips: optional(amountInput),
  discount: optional(amountInput),
  totalTax: optional(amountInput),
  insurance: optional(amountInput),
  handlingFee: optional(amountInput),
  shipping: optional(shippingSchema),
  shippingDiscount: optional(amountInput),
  orderDescription: optional(text({ mostCharacters: 256, mayBeEmpty: true })),
  goods: goodsListSchema,
});

export const createBodySchema = z.strictObject({
  /** Required if the stack has more than one merchant. */
  merchantId: optional(z.string()),
  order: orderBodySchema,
  channel: z.enum(["WEB", "APP"]),
  paymentAmount: amountInput,
  currency: z.enum(currencyCodes, "must be a current ISO 4217 code in capitals, such as USD"),
  paymentTime: optional(timeSchema),
  paymentExpiryTime: optional(timeSchema),
  /** Accepted but not used: callbacks must arrive at this stack. */
  callbackUrl: optional(text({ mostCharacters: 2048, mayBeEmpty: true })),
  redirectUrl: optional(text({ mostCharacters: 2048 })),
});

export type CreateBody = z.output<typeof createBodySchema>;
