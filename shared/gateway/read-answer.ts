import * as z from "zod/mini";
import { findInexactNumber } from "../money/exact-numbers.ts";
import { GatewayError } from "./gateway-error.ts";
import type { HttpReply } from "./post-json.ts";

/** The response envelope (§2.2); `code` comes as a number or as a string. */
const answerSchema = z.object({
  code: z.union([z.number(), z.string()]),
  msg: z.optional(z.unknown()),
  data: z.optional(z.unknown()),
});

const successCode = "20000";

/**
 * The data of a successful answer. Every other code is a refusal with the service's own words (§7 lists
 * none), and so is a 4xx without an envelope. Anything else cannot be told: it is unreadable. With
 * `readsNumbers` each number has to be exact: an amount that JSON.parse has rounded must not be taken for
 * the one that was sent.
 */
export function readAnswer<T extends z.ZodMiniType>(
  reply: HttpReply,
  dataSchema: T,
  readsNumbers: boolean,
): z.output<T> {
  const answer = answerSchema.safeParse(parseJson(reply.text));
  if (!answer.success) throw withoutEnvelope(reply.status);
  const code = String(answer.data.code);
  if (code !== successCode) throw refusedWith(code, answer.data.msg, reply.status);
  // A success under another status than 200 (§4) says two things at once.
  if (reply.status !== 200) throw new GatewayError("unreadable");
  const data = dataSchema.safeParse(answer.data.data);
  if (!data.success) throw new GatewayError("unreadable", { cause: data.error });
  if (readsNumbers && findInexactNumber(reply.text)) throw new GatewayError("unreadable");
  return data.data;
}

function refusedWith(code: string, msg: unknown, status: number): GatewayError {
  return new GatewayError("refused", {
    refusal: { code, msg: typeof msg === "string" ? msg : "" },
    // A server, or a proxy before it, that gave up: what it had begun may have been done.
    mayHaveActed: status >= 500 || status === 408,
  });
}

function withoutEnvelope(status: number): GatewayError {
  if (status < 400 || status >= 500) return new GatewayError("unreadable");
  return refusedWith(`http-${status}`, "", status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
