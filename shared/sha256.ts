import { hash } from "node:crypto";

/** The hex SHA-256 of a list of texts. Hashed as JSON, so that different lists never give the same text. */
export function sha256Of(...parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts));
}
