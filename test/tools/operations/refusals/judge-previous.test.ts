import { expect, test } from "vitest";
import { fewestInQuietShop } from "../../../../shared/receiving/refusal-alarm.ts";
import { outdatedKeysMilliseconds } from "../../../../shared/timing.ts";
import { judgePrevious } from "../../../../tools/operations/refusals/judge-previous.ts";

const nine = Date.UTC(2026, 10, 17, 9);
const changedAt = nine - outdatedKeysMilliseconds - 1;

/** What is said at nine o'clock, if the two versions verified so many of the last callbacks. */
function judged(verified: { current?: number; previous?: number }, { madeAt = changedAt } = {}) {
  const current = { versionId: "current", createdAtMilliseconds: madeAt };
  const previous = { versionId: "previous", createdAtMilliseconds: 0, endsAt: nine + 60_000 };
  return judgePrevious({ current, previous }, useOf(verified), nine);
}

function useOf(verified: { current?: number; previous?: number }) {
  const timesUsed = new Map(Object.entries(verified));
  return {
    callbacks: 40,
    since: "2026-11-17T08:00:00Z",
    lastUsedAt: new Map([...timesUsed.keys()].map((version) => [version, "2026-11-17T08:30:00Z"])),
    timesUsed,
    lastVersionOf: new Map(),
    merchantOf: new Map(),
  };
}

test("previous keys that verified nothing lately can go, if the current ones are used", () => {
  expect(judged({ current: 1 })).toEqual({
    kind: "safe",
    text: 'The previous callback keys verified none of the last 40 callbacks. You can remove them ("keys revoke --previous").',
  });
});

test("nothing is known of them, if neither version verified a callback", () => {
  expect(judged({})?.kind).toBe("unknown");
});

test("they are in use beside the current ones, however many callbacks they verified", () => {
  expect(judged({ current: 1, previous: 39 })).toEqual({
    kind: "in-use",
    text: "The previous callback keys are still in use: they verified 39 of the last 40 callbacks.",
  });
});

test("a day after the change they must not be the only ones that verify", () => {
  expect(judged({ previous: fewestInQuietShop })).toEqual({
    kind: "alone",
    text: `The current callback keys, made ${new Date(changedAt).toISOString().slice(0, 19)}Z, verified none of the last callbacks; the previous ones verified ${fewestInQuietShop} of the last 40 callbacks. They verify until 2026-11-17T09:01:00Z, and then every callback is rejected.`,
  });
});

test.each([
  ["within the day", { previous: fewestInQuietShop }, { madeAt: changedAt + 1 }],
  ["with few callbacks", { previous: fewestInQuietShop - 1 }, { madeAt: changedAt }],
])("%s that is only said", (_case, verified, made) => {
  const found = judged(verified, made);
  expect(found?.kind).toBe("in-use");
  expect(found?.text).toContain("and the current ones none yet.");
  expect(found?.text).toContain("verify until 2026-11-17T09:01:00Z.");
});

test("their time can be over, also if the records cannot be read", () => {
  const current = { versionId: "current", createdAtMilliseconds: changedAt };
  const previous = { versionId: "previous", createdAtMilliseconds: 0 };
  const use = { ...useOf({ current: 1 }), problem: "Denied." };
  const kindAt = (endsAt: number) =>
    judgePrevious({ current, previous: { ...previous, endsAt } }, use, nine)?.kind;
  expect(kindAt(nine)).toBe("over");
  expect(kindAt(nine + 1)).toBeUndefined();
  expect(judgePrevious({ current, previous }, use, nine)).toBeUndefined();
  expect(judgePrevious({ previous: { ...previous, endsAt: nine } }, use, nine)).toBeUndefined();
});
