import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { concurrencySchema } from "../../infra/config/running-config.ts";
import { attentionShards } from "../../shared/attention/attention.ts";
import { shardsOfDay } from "../../shared/orders/day.ts";
import { dueShards } from "../../shared/orders/due.ts";
import { bucketShards } from "../../shared/records/time-bucket.ts";
import {
  answerMarginMilliseconds,
  checkMilliseconds,
  questionEveryMilliseconds,
  runTimeoutMilliseconds,
} from "../../shared/timing.ts";
import { useShops } from "../storefront/shop.ts";
import { batchMilliseconds, callMilliseconds } from "./durations.ts";
import { published } from "./happenings.ts";
import { meterShop } from "./metered-shop.ts";

const makeShop = useShops();
const document = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const text = document.replaceAll("\n", " ");
const row = (stage: string) => document.split("\n").find((line) => line.startsWith(`| ${stage} |`));

/** To tens: the times are those of one machine. */
const roundDown = (rate: number) => Math.floor(rate / 10) * 10;

test("the limit of process-callback follows from the inbox's concurrency", () => {
  const { inbox } = concurrencySchema.parse({});
  const perInstance = roundDown(10_000 / batchMilliseconds);
  expect(row("process-callback")).toContain(`takes ${perInstance} callbacks a second`);
  expect(text).toContain(`about ${inbox * perInstance} callbacks a second`);
});

test("the limit of receive-callback follows from its time", () => {
  const perInstance = roundDown(1000 / callMilliseconds["receive-callback"]!);
  const { inbox } = concurrencySchema.parse({});
  expect(row("receive-callback")).toContain(`takes ${perInstance} callbacks a second`);
  expect(text).toContain(`about ${(10 - inbox) * perInstance} callbacks a second.`);
});

test("a run of reconcile-orders asks about as many orders as its time allows", () => {
  const asking = runTimeoutMilliseconds - answerMarginMilliseconds - checkMilliseconds;
  const orders = Math.floor(asking / questionEveryMilliseconds);
  expect(row("reconcile-orders")).toContain(`at most ${orders} orders a minute`);
});

test("all sharded indexes take the same number of writes", () => {
  const time = new Date().toISOString();
  for (const shards of [dueShards.length, attentionShards, shardsOfDay(time).length]) {
    expect(shards).toBe(bucketShards);
  }
  expect(row("indexes")).toContain(`| ${(bucketShards * 1000).toLocaleString("en")} |`);
});

test("a callback needs as many write units of the callbacks table as the page says", async () => {
  const shop = await meterShop(await makeShop(), 1);
  const { calls } = shop.instances.get("process-callback")!.faults;
  await (await published["one callback of it"]!(shop))();
  const { callbacks } = shop.shop.world.tables;
  const units = calls
    .flatMap(({ consumed = [] }) => consumed)
    .filter(({ TableName }) => TableName === callbacks)
    .reduce((sum, { Table }) => sum + Table.CapacityUnits, 0);
  expect(row("callbacks table")).toContain(`A callback needs ${units} |`);
  const [atFirst, later] = [4_000, 40_000].map((limit) => Math.floor(limit / units));
  expect(row("callbacks table")).toContain(
    `| ${atFirst} at first, ${later!.toLocaleString("en")} later |`,
  );
});
