import { describe, expect, test } from "vitest";
import { keysKeptMilliseconds } from "../../../../shared/timing.ts";
import {
  causeAction,
  causeOf,
  causeText,
  type Versions,
} from "../../../../tools/operations/refusals/find-cause.ts";

const nine = Date.UTC(2026, 10, 17, 9);
const held = ["new", "old", "older", "leaked"].map((versionId) => ({
  versionId,
  createdAtMilliseconds: nine,
}));
const versions: Versions = {
  held,
  current: "new",
  previous: "old",
  previousEndsAt: nine + 1,
  revoked: ["leaked"],
  changedAt: nine - keysKeptMilliseconds,
};
const use = {
  callbacks: 3,
  since: "2026-11-17T08:00:00.123Z",
  lastUsedAt: new Map(),
  timesUsed: new Map([
    ["old", 2],
    ["new", 1],
  ]),
  lastVersionOf: new Map(),
  merchantOf: new Map(),
};

describe("the version that verified the callbacks before the refused ones", () => {
  const set = "npx paycast keys set shop-1 --service-public-key FILE --stack Paycast";
  const ask = `List the reasons: npx paycast requests --route callbacks --answer refused --stack Paycast. Ask the service whether it has a new key, then: ${set}`;
  const restore = (versionId: string) =>
    `Make it current again: npx paycast keys restore shop-1 --only callback --version ${versionId} --stack Paycast`;
  const correct = `Get the service's public key, then: ${set} --correct`;

  test.each([
    ["is current", versions, "new", { now: "current" }, "still current.", ask],
    ["is previous", versions, "old", { now: "previous" }, "still previous.", ask],
    [
      "is current again, and functions may use others",
      { ...versions, changedAt: versions.changedAt + 1 },
      "new",
      { now: "changed", oldKeysUntil: nine + 1 },
      "current again.",
      ask,
    ],
    [
      "is previous, and its time is over",
      { ...versions, previousEndsAt: nine },
      "old",
      { now: "over", endedAt: nine },
      "its time ended at 2026-11-17T09:00:00Z.",
      restore("old"),
    ],
    [
      "was taken out",
      versions,
      "older",
      { now: "taken-out" },
      "neither current nor previous.",
      restore("older"),
    ],
    ["was revoked", versions, "leaked", { now: "revoked" }, "was revoked.", correct],
    [
      "is held no more",
      versions,
      "oldest",
      { now: "gone" },
      "Secrets Manager no longer holds.",
      correct,
    ],
    [
      "cannot be seen by the operator",
      undefined,
      "new",
      { now: "not-seen" },
      "1 callback before that was verified by the keys of version new.",
      "Check whether it is current: npx paycast keys check shop-1 --stack Paycast",
    ],
  ] as const)(
    "%s: what that means, and what to do",
    (_case, seen, versionId, now, text, action) => {
      const cause = causeOf(seen, versionId, nine);
      expect(cause).toEqual({ versionId, ...now });
      expect(causeText(cause, "shop-1", use)).toContain(text);
      const isRestorable = action.includes("restore");
      expect(causeAction(cause, "shop-1", " --stack Paycast")).toEqual(
        isRestorable ? { action, restorable: versionId } : { action },
      );
    },
  );

  test("is not known, if no record of the merchant names it", () => {
    expect(causeOf(versions, undefined, nine)).toBeUndefined();
    expect(causeText(undefined, "shop-1", use)).toBe(
      "It is not known which keys the service uses: none of shop-1's is among the last 3 callbacks, since 2026-11-17T08:00:00Z.",
    );
    expect(causeText(undefined, "shop-1", { ...use, callbacks: 0 })).toContain("no callback was");
    expect(causeText(undefined, "shop-1", { ...use, problem: "Denied." })).toBe(
      "It is not known which keys the service uses. Denied.",
    );
    expect(causeAction(undefined, "shop-1", " --stack Paycast")).toEqual({ action: ask });
  });

  test("verified so many callbacks", () => {
    const cause = { versionId: "old", now: "previous" } as const;
    expect(causeText(cause, "shop-1", use)).toMatch(
      /^2 callbacks before that were verified by the keys of version old,/,
    );
  });
});
