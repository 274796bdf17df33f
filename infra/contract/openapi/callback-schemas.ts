import * as z from "zod";

/** The callback envelope (§2.10). The function checks it by its own rules; a test compares both. */
export const callbackEnvelopeSchema = z.looseObject({
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

export const callbackAnswerSchema = z.object({ code: z.int(), msg: z.string() });
