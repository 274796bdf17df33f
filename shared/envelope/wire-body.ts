import type { Profile } from "./profile.ts";

/**
 * Writes a body as the profile says: numbers as numbers or strings, and one of the two names for which the interface's
 * table and sample differ (§2.3, §2.5).
 */
export function toWireBody(body: unknown, profile: Profile): unknown {
  if (typeof body === "number") return profile.numbers === "string" ? String(body) : body;
  if (Array.isArray(body)) return body.map((element) => toWireBody(element, profile));
  if (typeof body !== "object" || body === null) return body;
  const members = Object.entries(body).map(([name, value]) => [
    name === "goodsAmount" ? profile.goodsAmountName : name,
    toWireBody(value, profile),
  ]);
  return Object.fromEntries(members);
}
