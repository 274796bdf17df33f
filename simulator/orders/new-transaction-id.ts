import { randomBytes } from "node:crypto";

/** §2.9: at most 30 characters. */
export function newTransactionId(): string {
  return `T${randomBytes(14).toString("hex").toUpperCase()}`;
}
