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
/** How far back the log was read, and which callbacks were accepted by other requests. */
interface Read {
  readonly readBackTo?: number;
  readonly accepted?: readonly string[];
}
const explained = (
  versions: ReturnType<typeof versionsOf> | undefined,
  times: Parameters<typeof refusals>,
  refused?: ReturnType<typeof line>[],
  { readBackTo = 0, accepted = [] }: Read = {},
) => {
  const log = refused && { refused, readBackTo, acceptedIds: new Set(accepted) };
  return explainSome({ versions, refusals: refusals(...times), log }, "shop-1", " --stack Paycast");
};

describe("callbacks that were refused beside accepted ones", () => {
  test("are not explained while instances differ: warm ones accept with the keys of before", () => {
    const changed = versionsOf(nine - 10_000);
    expect(explained(changed, [nine, minutes(2), minutes(3)])).toMatchObject({
      kind: "unclear",
      text: expect.stringContaining("until 2026-11-17T09:04:50Z: check again then."),
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
        /^5 callbacks rejected .* not known.* npx paycast keys check shop-1 --stack Paycast$/,
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
    expect(text).toContain("No action is needed");
  });

  test.each(["too-old", "too-new", "merchant-differs"])(
    "are the service's own, if one of them is refused as %s: its signature matched",
    (reason) => {
      const { kind, text, action } = judged(line(nine, "wrong-signature"), line(nine, reason));
      expect(kind).toBe("service");
      expect(text).toContain(`(${reason}: 1)`);
      expect(text).not.toContain("No action is needed");
      expect(action).toContain("requests --route callbacks --answer refused --stack Paycast");
    },
  );

  test("may be the service's own, if one comes again as the service sends it again", () => {
    const again = [minutes(0), minutes(1)].map((time) => line(time, "wrong-signature", "refund-1"));
    const { kind, text, action } = judged(line(nine, "wrong-signature"), ...again);
    expect(kind).toBe("service");
    expect(text).toContain("1 arrived again later");
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

  test("ask for what helps against their reason", () => {
    const actionFor = (...reasons: string[]) =>
      judged(...reasons.map((reason) => line(nine, reason))).action;
    const clocks = "Compare the clocks with the service's.";
    const merchant = "Ask the service why it names another merchant.";
    expect(actionFor("too-old")).toContain(clocks);
    expect(actionFor("too-old")).toContain("raise callbacks.maxAgeHours");
    expect(actionFor("too-old")).not.toContain(merchant);
    expect(actionFor("too-new")).toContain(clocks);
    expect(actionFor("too-new")).not.toContain("maxAgeHours");
    expect(actionFor("merchant-differs", "wrong-signature")).toContain(merchant);
    expect(actionFor("merchant-differs")).not.toMatch(/clocks|maxAgeHours/);
    const ofAll = actionFor("too-old", "too-new", "merchant-differs");
    expect(ofAll?.split(clocks)).toHaveLength(2);
    expect(ofAll).toContain(merchant);
  });

  describe("of which only the newest were read", () => {
    const read = (readBackTo: number, ...refused: ReturnType<typeof line>[]) =>
      explained(versionsOf(0), [nine, minutes(40), minutes(50)], refused, { readBackTo });
    const flood = (from: number) => [
      line(minutes(40), "wrong-signature"),
      line(from, "cannot-decrypt"),
    ];

    test("are not explained, if a retry of the service could not be seen", () => {
      const { kind, text, action } = read(minutes(38), ...flood(minutes(38)));
      expect({ kind, action }).toEqual({ kind: "unclear", action: undefined });
      expect(text).toContain(
        "Only the newest 2 were read, back to 2026-11-17T09:38:00Z. No key of the merchant verifies them (wrong-signature: 1, cannot-decrypt: 1).",
      );
      expect(text).toMatch(/ requests --route callbacks --answer refused --stack Paycast$/);
      expect(text).not.toContain("No action is needed");
    });

    test("were forged, if the first was read, or some retries would have been", () => {
      expect(read(nine, ...flood(nine)).kind).toBe("forged");
      expect(read(minutes(25), ...flood(minutes(25))).kind).toBe("forged");
      expect(read(minutes(25) + 1, ...flood(minutes(25) + 1)).kind).toBe("unclear");
    });

    test("were forged, if all were read since the functions have the same keys", () => {
      const changed = versionsOf(minutes(33));
      const times: Parameters<typeof refusals> = [nine, minutes(40), minutes(50)];
      const read = { readBackTo: minutes(38) };
      expect(explained(changed, times, flood(minutes(38)), read).kind).toBe("forged");
    });

    test("are the service's own, if one of these shows it", () => {
      const again = [minutes(38), minutes(39)].map((time) => line(time, "wrong-signature", "one"));
      expect(read(minutes(38), ...again).kind).toBe("service");
      expect(read(minutes(38), line(minutes(38), "too-old")).kind).toBe("service");
    });
  });

  describe("and came again", () => {
    const again = (id: string) =>
      [nine, minutes(1)].map((time) => line(time, "wrong-signature", id));
    const read = (...accepted: string[]) => {
      const refused = [...again("refund-1"), ...again("refund-2")];
      return explained(versionsOf(0), [nine, minutes(2), minutes(20)], refused, { accepted });
    };

    test("need nothing, if each was accepted, too", () => {
      const { kind, text, action } = read("refund-1", "refund-2");
      expect({ kind, action }).toEqual({ kind: "over", action: undefined });
      expect(text).toContain("2 arrived again, as retries of the service do");
      expect(text).toContain("Each of these was accepted in another attempt. No action is needed");
    });

    test("are the service's own, if one was not accepted", () => {
      const { kind, text } = read("refund-2");
      expect(kind).toBe("service");
      expect(text).toContain("1 arrived again later");
    });
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
