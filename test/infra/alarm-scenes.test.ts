import { describe, expect, test } from "vitest";
import { alarmRules, type RunbookSection } from "../../infra/alarms/alarm-rules.ts";
import { evaluateAlarm } from "../../tools/local/alarms/evaluate-alarm.ts";
import { keyOf, type ReadDatapoints } from "../../tools/local/alarms/metric.ts";
import { readAlarm } from "../../tools/local/alarms/read-alarm.ts";
import type { WrittenMetric } from "../../tools/local/alarms/read-embedded-metrics.ts";
import { healthy, type Kind, now } from "./alarm-causes.ts";
import { scenes } from "./alarm-scenes.ts";
import { alarmingOptions, runbookSection, severityOf } from "./alarm-shapes.ts";
import { resourcesOf, stackInWords } from "./stack-template.ts";

/** The template's alarms, with its own numbers. */
const alarms = resourcesOf(stackInWords(alarmingOptions), "AWS::CloudWatch::Alarm").map(
  ([id, resource]) => {
    const [severity, section] = [severityOf(resource), runbookSection(resource)];
    return { id, severity, section, alarm: readAlarm(resource.Properties) };
  },
);
const wake = alarms.filter(({ severity }) => severity === "wake").map(({ id }) => id);

const kinds = Object.keys(healthy) as Kind[];
const many = 1000;
const some = 12;
const minute = 60_000;

/** The values of each metric, by its key. */
type Written = ReadonlyMap<string, readonly number[]>;

function times(count: number, metrics: readonly WrittenMetric[]): Written {
  const written = new Map<string, number[]>();
  for (const { metric, value } of metrics) {
    const key = keyOf(metric);
    const before = written.get(key) ?? [];
    written.set(key, before.concat(Array.from({ length: count }, () => value)));
  }
  return written;
}

/** One request of each kind. A thousand of them write the same metrics a thousand times. */
const oneOf = new Map(
  await Promise.all(kinds.map(async (kind) => [kind, await healthy[kind]()] as const)),
);
const manyOf = new Map(kinds.map((kind) => [kind, healthyOnes(kind, many)]));

function healthyOnes(kind: Kind, count: number): Written {
  return times(count, oneOf.get(kind) ?? []);
}

/** A thousand healthy requests of each kind except these. */
function busyWithout(own: readonly Kind[]): Written[] {
  return kinds.filter((kind) => !own.includes(kind)).map((kind) => manyOf.get(kind) ?? new Map());
}

/** The ids of the alarms that ring a minute after all this was written. */
function ringingAfter(...writes: readonly Written[]): readonly string[] {
  const read: ReadDatapoints = (metric, from, until) => {
    const key = keyOf(metric);
    if (!writes.some((written) => written.has(key))) return undefined;
    if (now < from || now >= until) return [];
    return writes.map((written) => {
      return { minuteMilliseconds: now, values: written.get(key) ?? [] };
    });
  };
  return alarms
    .filter(({ alarm }) => evaluateAlarm(alarm, read, now + minute).value === "ALARM")
    .map(({ id }) => id)
    .sort();
}

const named = scenes.map((scene) => [scene.cause, scene] as const);

describe("while everything else is busy", () => {
  test("and nothing is wrong, no alarm rings", () => {
    expect(ringingAfter(...busyWithout([]))).toEqual([]);
  });

  test.each(named)("if %s, its alarms ring, and no others", async (_cause, scene) => {
    const failed = await scene.fails();
    expect(ringingAfter(times(some, failed), ...busyWithout(scene.own))).toEqual(
      [...scene.rings].sort(),
    );
  });

  test.each(named)("if %s in a third of all cases, they ring too", async (_cause, scene) => {
    const failed = await scene.fails();
    const ownOnes = scene.own.slice(0, 1).map((kind) => healthyOnes(kind, 2 * some));
    expect(ringingAfter(times(some, failed), ...ownOnes, ...busyWithout(scene.own))).toEqual(
      [...(scene.ringsForThird ?? scene.rings)].sort(),
    );
  });
});

describe("a single failure", () => {
  const ofShares = named.filter(([, { isShare }]) => isShare === true);

  test.each(ofShares)("rings no alarm of a share: %s", async (_cause, scene) => {
    const failed = await scene.fails();
    // Only what runs by itself.
    const background = [healthyOnes("counts", 1), healthyOnes("runs", 1)];
    expect(ringingAfter(times(1, failed), ...background)).toEqual([]);
    expect(ringingAfter(times(2, failed), ...background)).toEqual([]);
  });
});

test("ten thousand strangers wake nobody, beside a quiet shop or alone", () => {
  const strangers = healthyOnes("strangers", 10 * many);
  const background: Kind[] = ["counts", "runs"];
  for (const others of [kinds, background]) {
    const beside = others.map((kind) => healthyOnes(kind, 1));
    const woken = ringingAfter(strangers, ...beside).filter((id) => wake.includes(id));
    expect(woken).toEqual([]);
  }
});

test("every alarm of the template has heard its cause", () => {
  const heard = new Set(scenes.flatMap(({ rings }) => rings));
  const ofFirst = alarms.map(({ id }) => id).filter((id) => !id.endsWith("M2"));
  expect(ofFirst.filter((id) => !heard.has(id))).toEqual([]);
});

const claims = Object.entries(alarmRules).flatMap(([section, rule]) =>
  "pagedBy" in rule ? rule.pagedBy.map((other) => [section, other as RunbookSection] as const) : [],
);
const sectionOf = new Map(alarms.map(({ id, section }) => [id, section]));

test.each(claims)("if it lasts, %s is followed by %s, which pages a person", (section, other) => {
  expect(alarmRules[other].severity).toBe("wake");
  const together = scenes.filter(({ rings }) => {
    const sections = rings.map((id) => sectionOf.get(id));
    return sections.includes(section) && sections.includes(other);
  });
  expect(together).not.toEqual([]);
});
