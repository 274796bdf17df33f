import { describe, expect, test } from "vitest";
import { outcomes, outsideFields, ownFields } from "../../shared/telemetry/log-line.ts";
import { blocksOf } from "../checks/markdown.ts";
import { resourcesOf, synthesizeTemplate } from "../infra/stack-template.ts";

const queries = blocksOf("docs/runbook.md").filter(({ language }) => language === "");
const template = synthesizeTemplate();
const [[, stage] = []] = resourcesOf(template, "AWS::ApiGatewayV2::Stage");
const routes = resourcesOf(template, "AWS::ApiGatewayV2::Route").map(
  ([, { Properties }]) => Properties.RouteKey,
);
const accessFields = Object.keys(JSON.parse(stage!.Properties.AccessLogSettings.Format));
const fields: readonly string[] = [...ownFields, ...outsideFields, "service", ...accessFields];
const language = "fields filter stats sort limit by in and or desc asc count ispresent bin".split(
  " ",
);
const values = [...Object.keys(outcomes), ...Object.values(outcomes).flat(), ...routes];

test("the runbook has queries", () => {
  expect(queries.length).toBeGreaterThan(5);
});

describe.each(queries.map(({ text }) => text))("%s", (query) => {
  test("asks for fields that a log has", () => {
    const words = query.replaceAll(/"[^"]*"|@timestamp|\b\d+m?\b/g, "").match(/\w+/g) ?? [];
    // A word that begins with a capital is a metric, which is part of the line too.
    const names = words.filter((word) => !language.includes(word) && !/^[A-Z]/.test(word));
    for (const name of names) expect(fields).toContain(name);
  });

  test("compares them with functions, outcomes and routes that exist", () => {
    for (const [, value] of query.matchAll(/"([^"]*)"/g)) expect(values).toContain(value);
  });
});
