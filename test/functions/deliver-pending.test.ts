import { beforeAll, expect, test, vi } from "vitest";
import type { PendingEntry } from "../../shared/records/pending-records.ts";
import type { LogFields } from "../../shared/telemetry/log-line.ts";
import { publishedRecord } from "../shared/records/callback-record.ts";

type DeliverPending = typeof import("../../functions/deliver-pending.ts")["deliverPending"];
type Deps = Parameters<DeliverPending>[0];

let deliverPending: DeliverPending;
beforeAll(async () => {
  // The module wires itself up as Lambda loads it.
  for (const name of ["CALLBACKS_TABLE", "ORDERS_TABLE", "METRICS_NAMESPACE"])
    vi.stubEnv(name, "x");
  vi.stubEnv("SUBSCRIBERS", "[]");
  vi.stubEnv("AWS_REGION", "us-east-1");
  ({ deliverPending } = await import("../../functions/deliver-pending.ts"));
  vi.unstubAllEnvs();
});

const entry = (index: number, orderKey = `order-${index}`): PendingEntry => ({
  callbackKey: `c${index}`,
  receipt: "first",
  orderKey,
  receivedAt: "2026-11-15T00:00:00.000Z",
  held: ["a"],
});

/** Each send costs `cost` milliseconds of a clock that nothing else moves. */
function fakes(pages: () => AsyncIterable<readonly PendingEntry[]>, cost = 0, failing = false) {
  let now = Date.UTC(2026, 10, 15, 1);
  const sent: string[] = [];
  const lines: [LogFields, object | undefined][] = [];
  const deps: Deps = {
    catchUp: {
      loadRecord: async ({ callbackKey }) => publishedRecord({ callbackKey, held: ["a"] }),
      loadOrder: async () => undefined,
      fanOut: async ({ callbackKey }, names) => {
        now += cost;
        sent.push(callbackKey);
        return failing
          ? { delivered: [], failed: names, gone: [], errors: ["Refused"] }
          : { delivered: names, failed: [], gone: [], errors: [] };
      },
      markCaughtUp: async () => undefined,
      postpone: async () => undefined,
      now: () => now,
    },
    dueEntries: pages,
    oldestPendingAt: async () => Date.UTC(2026, 10, 15),
    now: () => now,
    log: (fields, metrics) => void lines.push([fields, metrics]),
  };
  return { deps, sent, lines };
}

test("a run ends in time though there is work without end, and reports", async () => {
  async function* endless() {
    for (let index = 0; index < 1_000_000; index += 10) {
      yield Array.from({ length: 10 }, (_, step) => entry(index + step));
    }
  }
  const { deps, sent, lines } = fakes(endless, 1_000);
  await deliverPending(deps);
  expect(sent.length).toBeGreaterThan(30);
  expect(sent.length).toBeLessThan(60);
  expect(lines.at(-1)).toMatchObject([
    { outcome: "ran" },
    { Delivered: sent.length, OldestPendingSeconds: expect.any(Number) },
  ]);
});

test("an order's events are sent one after the other, the oldest first", async () => {
  async function* page() {
    yield [entry(1, "A"), entry(2, "B"), entry(3, "A"), entry(4, "A")];
  }
  const { deps, sent } = fakes(page);
  await deliverPending(deps);
  expect(sent.filter((key) => key !== "c2")).toEqual(["c1", "c3", "c4"]);
});

test("a subscriber that keeps failing is asked a few times, not once for each event", async () => {
  async function* pages() {
    for (let index = 0; index < 50; index += 1) yield [entry(index)];
  }
  const { deps, sent, lines } = fakes(pages, 0, true);
  await deliverPending(deps);
  expect(sent).toHaveLength(3);
  expect(lines.at(-1)).toMatchObject([
    { subscribers: ["a"], errorName: "Refused" },
    { Delivered: 0, SubscribersFailing: 1 },
  ]);
});

test("an entry that cannot be worked on ends its own order's turn and nothing else", async () => {
  async function* page() {
    yield [entry(1, "A"), entry(2, "A"), entry(3, "B")];
  }
  const { deps, sent, lines } = fakes(page);
  const loadRecord: Deps["catchUp"]["loadRecord"] = async ({ callbackKey }) => {
    if (callbackKey === "c1") throw new Error("throttled");
    return publishedRecord({ callbackKey, held: ["a"] });
  };
  await deliverPending({ ...deps, catchUp: { ...deps.catchUp, loadRecord } });
  expect(sent).toEqual(["c3"]);
  expect(lines.map(([fields]) => fields.outcome)).toEqual(["failed", "ran"]);
});
