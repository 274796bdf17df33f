import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { alarmingOptions, descriptionOf, runbookSection, shapeOf } from "./alarm-shapes.ts";
import { everyOption } from "./every-option.ts";
import {
  plainId,
  resourceNamed,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

type Widget = {
  type: string;
  y: number;
  properties: { title?: string; markdown?: string; alarms?: string[]; metrics?: unknown[][] };
};

const template = synthesizeTemplate(alarmingOptions);
const widgets = widgetsOf(template);
const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

function widgetsOf(stack: StackTemplate): Widget[] {
  const dashboard = resourceNamed(stack, "Dashboard");
  return JSON.parse(spell(dashboard.Properties.DashboardBody)).widgets;
}

/** `namespace/metric statistic of subject`, as the alarms' shapes have it. */
function drawn(of: Widget[]): string[] {
  return of.flatMap(({ properties: { metrics = [] } }) =>
    metrics.map((entry) => {
      const [namespace, name, ...rest] = entry as string[];
      const { stat = "Average" } = rest.pop() as unknown as { stat?: string };
      const subjects = rest.filter((_item, index) => index % 2 === 1).sort();
      return `${namespace}/${name} ${stat} of ${subjects.join(" ")}`;
    }),
  );
}

function rowsOf(of: Widget[]): { title: string; sections: string[] }[] {
  return of.flatMap(({ properties: { markdown } }) => {
    if (markdown === undefined) return [];
    const title = /^## (.+)$/m.exec(markdown)![1]!;
    const names = /^Runbook: (.+)$/m.exec(markdown)![1]!;
    return [{ title, sections: [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!) }];
  });
}

describe("the dashboard", () => {
  test("reads from top to bottom like the way of a callback", () => {
    expect(rowsOf(widgets).map(({ title }) => title)).toEqual([
      "Callbacks in",
      "Inbox and processing",
      "Subscribers",
      "Attention",
      "Storefront",
      "Reconciliation",
      "Functions and keys",
    ]);
    const places = widgets.map(({ y }) => y);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  test("shows first every alarm once, by its severity", () => {
    const [wake, morning] = widgets.filter(({ type }) => type === "alarm");
    const shown = [wake, morning].map((widget) => widget!.properties.alarms!);
    expect(widgets.slice(0, 2)).toEqual([wake, morning]);
    expect(shown.flat().sort()).toEqual(alarms.map(([id]) => plainId(id)).sort());
    for (const [id, alarm] of alarms) {
      const isWake = descriptionOf(alarm).includes("Severity: wake.");
      expect(shown[isWake ? 0 : 1], id).toContain(plainId(id));
    }
  });

  test.each(alarms)("draws what %s watches", (_case, alarm) => {
    expect(drawn(widgets)).toEqual(expect.arrayContaining([...shapeOf(alarm).watches]));
  });

  test("draws what all alarms watch, whatever options the config has", () => {
    const full = synthesizeTemplate(everyOption);
    const watched = resourcesOf(full, "AWS::CloudWatch::Alarm").flatMap(([, alarm]) => [
      ...shapeOf(alarm).watches,
    ]);
    expect(drawn(widgetsOf(full))).toEqual(expect.arrayContaining(watched));
  });

  test("names each section of the runbook in one row", () => {
    const named = rowsOf(widgets).flatMap(({ sections }) => sections);
    const written = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
    expect(named.toSorted()).toEqual(written.toSorted());
  });

  test("draws a line for each subscriber and each merchant", () => {
    const text = JSON.stringify(widgets);
    for (const name of ["fulfilment", "analytics"]) expect(text).toContain(`"label":"${name}"`);
    for (const id of ["M1", "M2"]) expect(text).toContain(`"label":"${id}: NotAuthentic"`);
  });

  test("is linked from every alarm and from the outputs, without waiting for each other", () => {
    const url =
      "https://AWS::Region.console.aws.amazon.com/cloudwatch/home?region=AWS::Region" +
      "#dashboards/dashboard/Paycast-AWS::Region";
    expect(spell(template.Outputs["DashboardUrl"]!.Value)).toBe(url);
    for (const [, alarm] of alarms) expect(descriptionOf(alarm)).toMatch(`Dashboard: ${url}`);
    const dashboard = resourceNamed(template, "Dashboard");
    expect(spell(dashboard.Properties.DashboardName)).toBe("Paycast-AWS::Region");
  });

  test("of a stack that only receives has no storefront, and sections for each alarm", () => {
    const receiving = synthesizeTemplate({ gateway: undefined });
    const rows = rowsOf(widgetsOf(receiving));
    expect(rows.map(({ title }) => title)).not.toContain("Storefront");
    expect(drawn(widgetsOf(receiving)).join()).not.toMatch(/create-order|query-order|reconcile/);
    const sections = new Set(rows.flatMap((row) => row.sections));
    const ringing = resourcesOf(receiving, "AWS::CloudWatch::Alarm");
    expect(sections).toEqual(new Set(ringing.map(([, alarm]) => runbookSection(alarm))));
  });

  test("is left out if the config says so, and then nothing links to it", () => {
    const stack = synthesizeTemplate({ dashboard: false });
    expect(JSON.stringify(stack)).not.toMatch(/dashboard/i);
  });
});
