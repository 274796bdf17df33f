import * as z from "zod";
import { topicArn } from "./arn-config.ts";

const email = z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@.]+$/, "must be an email address");

const listener = { topicArn: topicArn.optional(), email: email.optional() };

export const alarmsSchema = z
  .strictObject({
    ...listener,
    morning: z
      .strictObject(listener)
      .refine(reachesSomebody, "must have topicArn or email")
      .optional(),
  })
  .refine(reachesSomebody, "must have topicArn or email");

interface Listener {
  readonly topicArn?: string | undefined;
  readonly email?: string | undefined;
}

/** An entry without any would look like a notification and be none. */
function reachesSomebody(listener: Listener): boolean {
  return listener.topicArn !== undefined || listener.email !== undefined;
}
