import { hash } from "node:crypto";

/**
 * A short digest of each field that an order has at the service, by its name, such as "currency" or "order.goods". No
 * content is stored.
 */
export type ContentDigests = Readonly<Record<string, string>>;

/** 48 bits distinguish the contents of one order number. All digests of an order need less than 512 bytes. */
const digestCharacters = 8;

/** The digests of an object's fields. A field that is an object or a list has one digest. */
export function digestsOf(fields: object, prefix = ""): ContentDigests {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [`${prefix}${name}`, digestOf(value)]));
}

function digestOf(value: unknown): string {
  return hash("sha256", canonical(value), "base64url").slice(0, digestCharacters);
}

/** The same text for the same content, whatever the order of names. The schema limits the depth. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** The names of the fields that differ, or that only one of the two has. */
export function differingFields(stored: ContentDigests, sent: ContentDigests): readonly string[] {
  const names = new Set([...Object.keys(stored), ...Object.keys(sent)]);
  return [...names].filter((name) => stored[name] !== sent[name]).sort();
}
