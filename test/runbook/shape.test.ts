import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { alarmRules } from "../../infra/alarms/alarm-rules.ts";
import { outcomes, outsideFields, ownFields } from "../../shared/telemetry/log-line.ts";
import { faultDescriptions } from "../../tools/simulator/faults/fault.ts";
import { blocksOf } from "../checks/markdown.ts";
import { resourcesOf, synthesizeTemplate } from "../infra/stack-template.ts";
import {
  introduction,
  labRequest,
  type Part,
  partOf,
  parts,
  practisedWith,
  sections,
  shellBlocks,
  stepsOf,
} from "./runbook.ts";

/** The words in capitals that the introduction explains. */
const explained = introduction.split("\n").filter((line) => line.startsWith("- `"));
const placeholders = explained.flatMap((line) => line.match(/(?<=`)[A-Z_]+(?=`)/g) ?? []);

const blocks = [["the introduction", introduction] as const, ...sections].flatMap(([name, text]) =>
  shellBlocks(text).map((block) => [name, block] as const),
);

test("the runbook has many sections and commands", () => {
  expect(sections.size).toBe(18);
  expect(blocks.length).toBeGreaterThan(20);
  expect(placeholders.length).toBeGreaterThan(4);
});

test.each([...sections.keys()])(
  "%s says what it means, where to look, what to do, when it is over, and how to practise it",
  (name) => {
    const text = sections.get(name) ?? "";
    const places = Object.values(parts).map((begin) => text.indexOf(`\n${begin}`));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    for (const part of Object.keys(parts) as Part[]) {
      const words = partOf(name, part).split(/\s+/);
      expect(words.length, `${name}, ${part}`).toBeGreaterThan(5);
    }
  },
);

test.each([...sections.keys()])(
  "%s is practised with steps that a test can take, or as another one",
  (name) => {
    const steps = stepsOf(name);
    if (steps.some(({ says }) => says !== undefined)) {
      for (const { lab } of steps.filter((step) => step.lab !== undefined)) {
        const [path, body] = labRequest(lab ?? "") ?? [];
        expect(path, lab).toBeDefined();
        if (path === "faults") expect(Object.keys(faultDescriptions)).toContain(Object(body).kind);
      }
    } else expect(practisedWith(name).flatMap(stepsOf).length).toBeGreaterThan(1);
  },
);

test.each(Object.entries(alarmRules))("%s has the severity of the alarms' table", (name, rule) => {
  expect(sections.get(name)).toContain(`Severity: **${rule.severity}**`);
});

test("a symptom leads to every section, and every link leads to one", () => {
  const table = introduction.slice(0, introduction.indexOf("\n\nOne section for each kind"));
  const links = [...table.matchAll(/\(#([\w-]+)\)/g)].map(([, name = ""]) => name);
  expect(new Set(links)).toEqual(new Set(sections.keys()));
});

test("where a deployment may be the cause, the section says how to go back", () => {
  const lines = [...sections.values()].join("\n").match(/^- .*after a deployment.*$/gim) ?? [];
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    expect(line).toContain("(changing.md#going-back-to-an-earlier-version)");
  }
});

test("each section that has commands is walked", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const walks = files.map((name) => readFileSync(`${import.meta.dirname}/${name}`, "utf8")).join();
  // The practice of each is walked in any case.
  const withCommands = [...sections].filter(([, text]) =>
    text.split(parts.practise)[0]?.includes("npx paycast "),
  );
  expect(withCommands.length).toBe(18);
  const isWalked = ([name]: readonly [string, string]) => new RegExp(`"${name}[":]`).test(walks);
  expect(withCommands.filter((command) => !isWalked(command))).toEqual([]);
});

describe.each(blocks)("%s: %s", (_name, block) => {
  test("is what a shell understands", () => {
    const { status, stderr } = spawnSync("sh", ["-n"], { input: block, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("has nothing to fill in but the words that the introduction explains", () => {
    const unquoted = block.replaceAll(/'[^']*'|"\$[^"]*"/g, "");
    expect(unquoted).not.toMatch(/[<>[\]…]|\.\.\./);
    const capitals = unquoted.replaceAll(/export \w+=\w+/g, "").match(/\b[A-Z][A-Z_]+\b/g) ?? [];
    for (const word of capitals) expect(placeholders).toContain(word);
  });

  test("runs nothing but the command, and AWS's where the command cannot help", () => {
    const lines = block.replaceAll("\\\n", " ").trim().split("\n");
    for (const line of lines) {
      expect(line).toMatch(
        /^(npx paycast |export |eval "\$\(npx paycast env\)"$|aws |echo '.+' \| npx paycast )/,
      );
    }
  });
});

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
