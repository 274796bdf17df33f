import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createLog } from "../../shared/telemetry/log-line.ts";
import { countAttention } from "../../shared/watching/count-attention.ts";
import { shapeOf } from "../infra/alarm-shapes.ts";
import { everyOption } from "../infra/every-option.ts";
import { resourcesOf, type StackTemplate, synthesizeTemplate } from "../infra/stack-template.ts";
import { useShops } from "../storefront/shop.ts";
import { readRows } from "./counted-table.ts";
import { countMilliseconds } from "./durations.ts";
import { published, unpublished } from "./happenings.ts";
import { meterShop } from "./metered-shop.ts";
import { prices } from "./prices.ts";

const makeShop = useShops();
const document = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
const sectionOf = (heading: string) => document.split(/^## /m).find((s) => s.startsWith(heading))!;
const subscriber = (name: string) => ({ name, types: ["*" as const] });
const smallConfig = { merchants: ["M1"], subscribers: ["one", "two", "three"].map(subscriber) };
const template = synthesizeTemplate(smallConfig);
const { alarms, watched } = alarmsOf(template);
const usd = (amount: number) => amount.toFixed(2);

function alarmsOf(stack: StackTemplate) {
  const found = resourcesOf(stack, "AWS::CloudWatch::Alarm").map(([, alarm]) => alarm);
  return { alarms: found, watched: found.flatMap((alarm) => shapeOf(alarm).watches).length };
}

interface MetricLine {
  readonly [field: string]: unknown;
  readonly _aws?: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
}

/** Each metric that CloudWatch bills: a name with the values of its dimensions. */
function metricsIn(line: string): string[] {
  const parsed: MetricLine = JSON.parse(line);
  return (parsed._aws?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name }) => [Name, ...names.map((name) => parsed[name])].join(" ")),
    ),
  );
}

async function metricsOfNormalOperation(): Promise<Set<string>> {
  const shop = await meterShop(await makeShop(), 3);
  const all = Object.entries({ ...published, ...unpublished });
  const happenings = all
    .filter(([what]) => !what.includes("forged"))
    .map(([, happening]) => happening);
  for (const happening of happenings) await (await happening(shop))();
  const lines = [...shop.instances.values()].flatMap((instance) => instance.lines);
  return new Set([...lines, ...(await linesOfCounting())].flatMap(metricsIn));
}

/** What count-attention writes each minute. */
async function linesOfCounting(): Promise<string[]> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLog({ service: "count-attention", namespace: "Paycast", now: Date.now, write });
  await countAttention({ read: async () => [], now: Date.now, log });
  return lines;
}

/** Eventually consistent queries of half a unit, the call with its 256 MB, and a short line. */
const gigabyteSeconds = (countMilliseconds / 1000) * 0.25;
const countingUsd =
  43_200 * (32 * 0.5 * 0.125e-6 + 0.2e-6 + gigabyteSeconds * 13.3334e-6 + 350 * 0.5e-9);

test("the fixed part counts every metric of every alarm, and the metrics of normal operation", async () => {
  const metrics = await metricsOfNormalOperation();
  const parts = {
    alarms: watched * prices.alarmMetric,
    dashboard: prices.dashboard,
    metrics: metrics.size * prices.metric,
    filters: resourcesOf(template, "AWS::Logs::MetricFilter").length * prices.metric,
    pollers: 648_000 * prices.sqsFifoRequest,
    runs:
      43_200 * readRows(document).find(({ what }) => what.startsWith("a run"))!.numbers[6]! * 1e-6,
    counting: countingUsd,
    secrets: resourcesOf(template, "AWS::SecretsManager::Secret").length * prices.secret,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const text = sectionOf("Examples").replaceAll("\n", " ");
  expect(text).toContain(`about ${Math.round(total)} USD a month: ${alarms.length} alarms`);
  expect(text).toContain(`over ${watched} metrics (${usd(parts.alarms)})`);
  expect(text).toContain(`${metrics.size} metrics of normal operation (${usd(parts.metrics)})`);
  const filters = Math.round(parts.filters / prices.metric);
  expect(text).toContain(`${filters} metrics of the access log (${usd(parts.filters)})`);
  expect(text).toContain(`(648,000 requests, ${usd(parts.pollers)})`);
  expect(text).toContain(`(43,200 runs, ${usd(parts.runs)})`);
  expect(text).toContain(`(43,200 counts of 32 queries, ${usd(parts.counting)})`);
  const payment = readRows(document).find(
    (row) => /^a payment/.test(row.what) && row.subscribers === "3",
  );
  const orders = Math.round((total / payment!.numbers[6]!) * 100) * 10_000;
  expect(text).toContain(`below some ${orders.toLocaleString("en")} orders a month`);
});

test.each(Object.keys(everyOption))("what %s adds is reported", (field) => {
  expect(sectionOf("What each option adds")).toContain(`\`${field}`);
});

test.each([
  ["a further subscriber", { subscribers: [...smallConfig.subscribers, subscriber("four")] }, 1, 3],
  ["a further merchant", { merchants: ["M1", "M2"] }, 10, 21],
  ["a list of addresses", { callbacks: { sourceAddresses: ["203.0.113.7"] } }, 1, 2],
])("%s adds as many alarms as the page says", (_case, changes, moreAlarms, moreMetrics) => {
  const more = alarmsOf(synthesizeTemplate({ ...smallConfig, ...changes }));
  expect(more.alarms.length - alarms.length).toBe(moreAlarms);
  expect(more.watched - watched).toBe(moreMetrics);
});
