import { describe, expect, test } from "vitest";
import { explainSome } from "../../../../tools/operations/refusals/explain-refusals.ts";

const nine = Date.UTC(2026, 10, 17, 9, 0);
const minutes = (count: number) => nine + count * 60_000;
const versionsOf = (changedAt: number) => ({
  held: [],
  current: "new",
  previous: "old",
  previousEndsAt: minutes(1_000),
  revoked: [],
  changedAt,
});
const refusals = (firstAt: number, lastAt: number, acceptedUntil: number) => ({
  kind: "some" as const,
  count: 5,
  accepted: 9,
  firstAt,
  lastAt,
  acceptedUntil,
});
const explained = (
  versions: ReturnType<typeof versionsOf> | undefined,
  ...times: Parameters<typeof refusals>
) => explainSome(versions, refusals(...times), "shop-1", " --stack Paycast");

describe("callbacks that were refused beside accepted ones", () => {
  test("are not explained while instances differ: warm ones accept with the keys of before", () => {
    const changed = versionsOf(nine - 10_000);
    expect(explained(changed, nine, minutes(2), minutes(3))).toMatchObject({
      kind: "unclear",
      text: expect.stringContaining("until 2026-11-17T09:04:50Z: look again then."),
    });
  });

  test("do not speak against the keys, if others were accepted when all instances had the same", () => {
    const changed = versionsOf(nine - 10_000);
    const { kind } = explained(changed, minutes(6), minutes(7), minutes(8));
    expect(kind).toBe("forged");
  });

  test("are over, if they came before the change and all instances accept since", () => {
    const changed = versionsOf(minutes(3));
    const { kind } = explained(changed, nine, minutes(2), minutes(20));
    expect(kind).toBe("over");
  });

  test("are not explained to somebody who may not see the versions", () => {
    expect(explained(undefined, nine, minutes(2), minutes(20))).toEqual({
      kind: "unclear",
      text: expect.stringMatching(
        /^5 callbacks refused .* not known.* npx paycast keys check shop-1 --stack Paycast$/,
      ),
    });
  });
});
