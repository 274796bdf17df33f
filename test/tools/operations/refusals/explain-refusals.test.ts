import { randomUUID } from "node:crypto";
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
/** A refused callback in the log. */
const line = (timestamp: number, reason: string, claimedCallbackId: string = randomUUID()) => ({
  timestamp,
  reason,
  claimedCallbackId,
});
const explained = (
  versions: ReturnType<typeof versionsOf> | undefined,
  times: Parameters<typeof refusals>,
  refused?: ReturnType<typeof line>[],
) => explainSome({ versions, refusals: refusals(...times), refused }, "shop-1", " --stack Paycast");

describe("callbacks that were refused beside accepted ones", () => {
  test("are not explained while instances differ: warm ones accept with the keys of before", () => {
    const changed = versionsOf(nine - 10_000);
    expect(explained(changed, [nine, minutes(2), minutes(3)])).toMatchObject({
      kind: "unclear",
      text: expect.stringContaining("until 2026-11-17T09:04:50Z: look again then."),
    });
  });

  test("are over, if they came before the change and all instances accept since", () => {
    const changed = versionsOf(minutes(3));
    const { kind } = explained(changed, [nine, minutes(2), minutes(20)]);
    expect(kind).toBe("over");
  });

  test("are over, if they came while instances could use the keys of before", () => {
    const changed = versionsOf(nine - 10_000);
    const times: Parameters<typeof refusals> = [nine, minutes(4), minutes(20)];
    expect(explained(changed, times, [line(minutes(4), "wrong-signature")]).kind).toBe("over");
    // The minute of the last one began before all had the same keys, and it came after that.
    const late = line(minutes(4) + 55_000, "wrong-signature");
    expect(explained(changed, times, [late]).kind).toBe("forged");
  });

  test("are not explained to somebody who may not see the versions", () => {
    expect(explained(undefined, [nine, minutes(2), minutes(20)])).toEqual({
      kind: "unclear",
      text: expect.stringMatching(
        /^5 callbacks refused .* not known.* npx paycast keys check shop-1 --stack Paycast$/,
      ),
    });
  });
});

describe("callbacks that were refused with the keys that accept others", () => {
  const judged = (...refused: ReturnType<typeof line>[]) =>
    explained(versionsOf(0), [nine, minutes(2), minutes(20)], refused);

  test("were forged, if no known key signed them", () => {
    const { kind, text, action } = judged(
      line(nine, "wrong-signature"),
      line(minutes(1), "cannot-decrypt"),
      line(minutes(2), "wrong-signature"),
    );
    expect({ kind, action }).toEqual({ kind: "forged", action: undefined });
    expect(text).toContain("(wrong-signature: 2, cannot-decrypt: 1)");
    expect(text).toContain("Nothing is to be done");
  });

  test.each(["too-old", "too-new", "merchant-differs"])(
    "are the service's own, if one of them is refused as %s: its signature matched",
    (reason) => {
      const { kind, text, action } = judged(line(nine, "wrong-signature"), line(nine, reason));
      expect(kind).toBe("service");
      expect(text).toContain(`(${reason}: 1)`);
      expect(text).not.toContain("Nothing is to be done");
      expect(action).toContain("requests --route callbacks --answer refused --stack Paycast");
    },
  );

  test("may be the service's own, if one comes again as the service sends it again", () => {
    const again = [minutes(0), minutes(1)].map((time) => line(time, "wrong-signature", "refund-1"));
    const { kind, text, action } = judged(line(nine, "wrong-signature"), ...again);
    expect(kind).toBe("service");
    expect(text).toContain("1 came again later");
    expect(action).toMatch(/detect-profile --captured --merchant shop-1 --stack Paycast$/);
  });

  test("were forged, if one comes again faster or more often than the service sends it", () => {
    const forged = (seconds: number, count: number) =>
      Array.from({ length: count }, (_item, number) =>
        line(nine + number * seconds * 1_000, "wrong-signature", "same"),
      );
    expect(judged(...forged(5, 9)).kind).toBe("forged");
    expect(judged(...forged(60, 9)).kind).toBe("service");
    expect(judged(...forged(60, 10)).kind).toBe("forged");
  });

  test("are not explained without their reasons", () => {
    const unread = explained(versionsOf(0), [nine, minutes(2), minutes(20)]);
    expect(unread).toMatchObject({
      kind: "unclear",
      text: expect.stringMatching(/You may not read the log\. .*--answer refused --stack Paycast$/),
    });
    expect(judged()).toMatchObject({ kind: "unclear", text: expect.stringContaining("none of") });
  });
});
