import { beforeEach, expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import type { CreateOrder } from "../../../shared/storefront/create-order.ts";
import type { Metrics } from "../../../shared/telemetry/log-line.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import { createInMemory, paid } from "./create-in-memory.ts";
import { minute, now, orderBody } from "./order-body.ts";

/** What the alarm on sales counts of one request. */
const [succeeded, failed] = [0, 1].map((CreationFailures) => ({ Creations: 1, CreationFailures }));
const nowhere = {};

let time = now;
let database = memoryDatabase(now);
beforeEach(() => {
  database = memoryDatabase(now);
});

async function counted(
  createPayment: CreateOrder["createPayment"],
  { body = orderBody(), changes = {} }: { body?: object; changes?: Partial<CreateOrder> } = {},
) {
  time += minute;
  const lines: Metrics[] = [];
  await createInMemory({
    log: (_fields, metrics = {}) => void lines.push(metrics),
    body,
    database,
    now: () => time,
    changes: { createPayment, ...changes },
  });
  const names = ["Creations", "CreationFailures", "CallerRefused"];
  const [metrics = {}, ...more] = lines;
  expect(more).toEqual([]);
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => names.includes(name)));
}

const answers = async () => paid;
const failing = (error: Error) => () => Promise.reject(error);
const refused = (code: string) =>
  failing(new GatewayError("refused", { refusal: { code, msg: "" } }));

test("an order that is created counts, and its repeats do not", async () => {
  expect(await counted(answers)).toEqual(succeeded);
  expect(await counted(answers)).toEqual(nowhere);
});

test.each([
  ["the service does not answer", failing(new GatewayError("timed-out"))],
  ["the service cannot be reached", failing(new GatewayError("unreachable"))],
  ["the service asks to slow down", failing(new GatewayError("busy"))],
  ["the service rejects it", refused("50001")],
  ["our own code fails", failing(new TypeError("a fault of ours"))],
])("%s: the first attempt counts as failed, its repeats nowhere", async (_why, fails) => {
  expect(await counted(fails)).toEqual(failed);
  expect(await counted(fails)).toEqual(nowhere);
  expect(await counted(answers)).toEqual(nowhere);
});

test("a rejection that the config calls the caller's fault counts apart", async () => {
  expect(await counted(refused("40012"))).toEqual({ CallerRefused: 1 });
});

test("without the table every request counts as failed", async () => {
  const changes = { begin: failing(new Error("away")) };
  expect(await counted(answers, { changes })).toEqual(failed);
});

test("a payment that cannot be stored counts as failed", async () => {
  const changes = { storePayment: failing(new Error("away")) };
  expect(await counted(answers, { changes })).toEqual(failed);
});

test("what Paycast itself rejects counts nowhere", async () => {
  expect(await counted(answers, { body: {} })).toEqual(nowhere);
  await counted(answers);
  const other = orderBody({ paymentAmount: 20 }, { orderAmount: 20 });
  expect(await counted(answers, { body: other })).toEqual(nowhere);
});
