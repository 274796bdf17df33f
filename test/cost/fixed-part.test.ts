import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { shapeOf } from "../infra/alarm-shapes.ts";
import { resourcesOf, synthesizeTemplate } from "../infra/stack-template.ts";

const document = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
/** US dollars a month for each metric that an alarm watches. */
const alarmPrice = 0.1;

/** How many alarms a stack has, and how many metrics they watch: an alarm costs as much as its metrics. */
function alarmsOf(merchants: number, subscribers: number) {
  const template = synthesizeTemplate({
    merchants: Array.from({ length: merchants }, (_, index) => `M${index}`),
    subscribers: Array.from({ length: subscribers }, (_, index) => {
      return { name: `s${index}`, types: ["*" as const] };
    }),
  });
  const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
  const metrics = alarms.reduce((sum, [, alarm]) => sum + shapeOf(alarm).watches.length, 0);
  return { alarms: alarms.length, metrics, dollars: metrics * alarmPrice };
}

const sample = alarmsOf(1, 3);

test("the alarms of a stack without any order cost what docs/cost.md says", () => {
  const { alarms, metrics, dollars } = sample;
  const text = `${alarms} alarms, which watch ${metrics} metrics (${dollars.toFixed(2)} USD:`;
  expect(document).toContain(text);
});

test("a further subscriber adds the alarms that docs/cost.md says", () => {
  const further = alarmsOf(1, 4);
  const dollars = (further.dollars - sample.dollars).toFixed(2);
  expect(document).toContain(`${further.alarms - sample.alarms} alarms (${dollars} USD a month)`);
});

test("a further merchant adds two alarms, at the price that docs/cost.md says", () => {
  const further = alarmsOf(2, 3);
  expect(further.alarms - sample.alarms).toBe(2);
  const dollars = (further.dollars - sample.dollars).toFixed(2);
  expect(document).toContain(`and two alarms on both (${dollars} USD)`);
});
