import { type Check, faultsOr, problem, type Verdict, warning } from "./finding.ts";

/** The clock of this machine, compared with the clock of AWS. */
export const clockCheck: Check = {
  name: "clock of this machine",
  run: async ({ clock }, { now }) => {
    const startedAt = now();
    const date = await clock.awsDate();
    return faultsOr(skewVerdicts(date, { startedAt, endedAt: now() }), "agrees with AWS");
  },
};

/** A header has whole seconds only, and a small difference does no harm. */
const noticedMilliseconds = 60_000;
/** With a larger difference AWS rejects signatures, and receive-callback rejects a smoke test's callback. */
const refusedMilliseconds = 300_000;

/** Empty if the clocks agree, or if the response had no date. */
export function skewVerdicts(
  date: string | undefined,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
): readonly Verdict[] {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return [];
  const skew = Math.max(0, there - endedAt, startedAt - there - 1_000);
  if (skew < noticedMilliseconds) return [];
  const direction = there > endedAt ? "behind" : "ahead";
  const message = `It is ${Math.round(skew / 1000)} seconds ${direction}.`;
  const action = "Set the clock of this machine, and let it follow a time server.";
  return [skew < refusedMilliseconds ? warning(message, action) : problem(message, action)];
}
