/** A person's name that every result object carries, in a field the interface does not know. */
export const canaryName = "Canary-Of-The-Consumer";
/** A service's words, which may name a person too: they belong in events, not in logs. */
export const canaryReason = "canary-reason-in-msg";

/** Names by which a line is found. */
const mayBeLogged = [
  "merchantId",
  "orderNo",
  "referOrderNo",
  "outOrderNo",
  "paymentId",
  "refundId",
];

/** Every other text of a body or a result object that is long enough not to be met by chance. */
export function canariesIn(value: unknown): string[] {
  if (typeof value === "string") return value.length >= 12 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !mayBeLogged.includes(name))
    .flatMap(([, inner]) => canariesIn(inner));
}

/** The canaries that sing in these lines. Short ones would be found by chance. */
export function leaksIn(lines: readonly string[], canaries: ReadonlySet<string>): string[] {
  const text = lines.join("\n");
  return [...canaries, canaryName, canaryReason].filter(
    (canary) => canary.length >= 12 && text.includes(canary),
  );
}
