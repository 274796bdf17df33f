import { expect, test } from "vitest";
import { type CatchUp, catchUp } from "../../../shared/fan-out/catch-up.ts";
import { laneEntry } from "../../../shared/fan-out/lane.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { emptyOrder } from "../orders/facts.ts";
import { publishedRecord } from "../records/callback-record.ts";

const { callbackKey, receipt, orderKey, receivedAt } = publishedRecord();
const entry = { callbackKey, receipt, orderKey, receivedAt, held: ["a", "b"] };

function fakes(
  record: CallbackRecord | undefined,
  behind: readonly string[],
  failing: string[] = [],
) {
  const done: string[] = [];
  const deps: CatchUp = {
    loadRecord: async () => record,
    loadOrder: async () => emptyOrder({ behind: [...behind] }),
    fanOut: async (_record, names) => {
      done.push(`send ${names.join("+")}`);
      return {
        delivered: names.filter((name) => !failing.includes(name)),
        failed: names.filter((name) => failing.includes(name)),
        gone: [],
        errors: [],
      };
    },
    markCaughtUp: async (_record, names) => void done.push(`mark ${names.join("+")}`),
    postpone: async () => void done.push("postpone"),
    now: () => Date.parse(receivedAt) + 60_000,
  };
  return { done, deps };
}

const held = publishedRecord({ pending: ["a", "b"], held: ["a", "b"], sequence: 5 });
const none = new Set<string>();

test("those who are held are sent to, and marked once that is done", async () => {
  const { done, deps } = fakes(held, [laneEntry("a", 5), laneEntry("b", 5)]);
  await catchUp(entry, none, deps);
  expect(done).toEqual(["send a+b", "mark a+b"]);
});

test("who fails is put off; the others are marked", async () => {
  const { done, deps } = fakes(held, [], ["a"]);
  await catchUp(entry, none, deps);
  expect(done).toEqual(["send a+b", "mark b", "postpone"]);
});

test("who has an earlier event of the order to come waits, without being put off", async () => {
  const { done, deps } = fakes(held, [laneEntry("a", 4), laneEntry("a", 5), laneEntry("b", 5)]);
  await catchUp(entry, none, deps);
  expect(done).toEqual(["send b", "mark b"]);
});

test("who has failed often in this run is left alone, and costs no read if it is all", async () => {
  const some = fakes(held, []);
  await catchUp(entry, new Set(["a"]), some.deps);
  expect(some.done).toEqual(["send b", "mark b"]);
  const all = fakes(held, []);
  const loadRecord = () => Promise.reject(new Error("it was read"));
  const nothing = { delivered: [], failed: [], gone: [], errors: [] };
  expect(await catchUp(entry, new Set(["a", "b"]), { ...all.deps, loadRecord })).toEqual(nothing);
});

test("an entry of the index that lags behind the record does nothing", async () => {
  const marked = fakes(publishedRecord(), []);
  await catchUp(entry, none, marked.deps);
  const expired = fakes(undefined, []);
  await catchUp(entry, none, expired.deps);
  expect([...marked.done, ...expired.done]).toEqual([]);
});

test("who is not configured is let go after a quarter of an hour: until then a deployment may be under way", async () => {
  const gone = { delivered: ["b"], failed: [], gone: ["a"], errors: [] };
  for (const [minutes, marked] of [
    [14, "mark b"],
    [16, "mark b+a"],
  ] as const) {
    const { done, deps } = fakes(held, []);
    const now = () => Date.parse(receivedAt) + minutes * 60_000;
    await catchUp(entry, none, { ...deps, now, fanOut: async () => gone });
    expect(done).toEqual([marked]);
  }
});

test("a name that is not configured is kept while a deployment may be under way, then ended", async () => {
  const young = fakes(held, []);
  const gone = { delivered: [], failed: [], gone: ["a", "b"], errors: [] };
  await catchUp(entry, none, { ...young.deps, fanOut: async () => gone });
  expect(young.done).toEqual([]);
  const old = fakes(held, []);
  const now = () => Date.parse(receivedAt) + 16 * 60_000;
  const fanOut = await catchUp(entry, none, { ...old.deps, now, fanOut: async () => gone });
  expect(old.done).toEqual(["mark a+b"]);
  expect(fanOut.gone).toEqual(["a", "b"]);
});
