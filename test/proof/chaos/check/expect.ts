import { plainId } from "./evidence.ts";

/** A test of a found value, with a description of the expected one. */
export type Expectation = ((found: unknown) => boolean) & { readonly wants: string };

export function expecting(wants: string, test: (found: unknown) => boolean): Expectation {
  return Object.assign(test, { wants });
}

/** Flags in the order in which events and responses list them. */
const flagOrder = [
  "late",
  "regressed",
  "duplicatePayment",
  "mismatch",
  "contradicted",
  "refunded",
  "conflict",
  "unknownOrder",
  "otherAttempt",
  "refusedOrder",
  "unresolved",
  "shortenedNumber",
];

/** All of `must`, and possibly some of `may`, whose causes the checker cannot order in time. */
export function flagsBetween(must: readonly string[], may: readonly string[] = []): Expectation {
  const wants = `${JSON.stringify(inOrder(must))} and perhaps ${may.join(", ") || "none"}`;
  return expecting(wants, (found) => {
    const list = textsIn(found);
    const isAllowed = list.every((flag) => must.includes(flag) || may.includes(flag));
    const isWhole = must.every((flag) => list.includes(flag));
    return isAllowed && isWhole && JSON.stringify(list) === JSON.stringify(inOrder(list));
  });
}

function inOrder(flags: readonly string[]): string[] {
  return flagOrder.filter((flag) => flags.includes(flag));
}

export function textsIn(found: unknown): string[] {
  return Array.isArray(found) ? found.map(String) : [];
}

/** A time in RFC 3339 between two others. */
export function timeBetween(fromMilliseconds: number, untilMilliseconds: number): Expectation {
  const [from, until] = [fromMilliseconds, untilMilliseconds].map((time) =>
    Number.isFinite(time) ? new Date(time).toISOString() : "any time",
  );
  return expecting(`from ${from} to ${until}`, (found) => {
    const milliseconds = Date.parse(String(found));
    return milliseconds >= fromMilliseconds && milliseconds <= untilMilliseconds;
  });
}

export const aHash = expecting("a hash", (found) => /^[0-9a-f]{64}$/.test(String(found)));
export const aTrace = expecting("a trace", (found) =>
  /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(String(found)),
);
export const aStack = expecting("the stack", (found) =>
  /^urn:paycast:[a-z0-9-]+:\d{12}:\w+$/.test(String(found)),
);

export function theCallback(id: string): Expectation {
  return expecting(`the callback ${id}`, (found) => plainId(String(found)) === plainId(id));
}
