import { hash } from "node:crypto";

/** The hex SHA-256 of a list of texts. They are hashed as JSON, so that different lists never have the same input. */
export function sha256Of(...parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts));
}
