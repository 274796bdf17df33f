import { hash } from "node:crypto";

/** The hex SHA-256 of a list of texts. As JSON, so that no two lists run together into one text. */
export function sha256Of(...parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts));
}
