import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, type Stack, type StackProps } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import { parseDeployment } from "../../infra/config/environment-config.ts";
import { PaycastStack } from "../../infra/paycast-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import { blocksOf, codeIn, markdownFiles } from "../checks/markdown.ts";
import { folderInside } from "../setup/temporary-folder.ts";
import { everyOption } from "./every-option.ts";
import { resourcesOf, type StackTemplate, stub, synthesizeTemplate } from "./stack-template.ts";

const folder = folderInside("documents");

const blocks = markdownFiles().flatMap((file) => blocksOf(file));
const environmentFields = ["name", "account", "region", "tags", "terminationProtection"];
const fields = [...Object.keys(everyOption), ...environmentFields];

/** What a block says about a config: all of it, some fields of it, or one subscriber of it. */
function configIn(text: string): object | undefined {
  const content = parseObject(text);
  if (content === undefined) return undefined;
  if ("types" in content) return { subscribers: [content] };
  return Object.keys(content).some((key) => fields.includes(key)) ? content : undefined;
}

function parseObject(text: string): object | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}

const documented = blocks.flatMap(({ document, text }) => {
  const config = configIn(text);
  return config === undefined ? [] : [[document, JSON.stringify(config)] as const];
});
const isWhole = ([, config]: readonly [string, string]) => "merchants" in JSON.parse(config);
const configs = documented.filter(isWhole);
const fragments = documented.filter((block) => !isWhole(block));

function synthesized(text: string): StackTemplate {
  const { config, environment } = parseDeployment(JSON.parse(text));
  const outdir = mkdtempSync(join(folder, "out-"));
  const app = createApp({ outdir, builtinCloudFormationValidation: false });
  const { name = "Paycast" } = environment;
  new PaycastStack(app, name, { config, environment, codeOf: (name) => stub(folder, name) });
  return app.synth().getStackByName(name).template;
}

describe("the documented configs", () => {
  test("are found, whole or in part", () => {
    expect(configs.map(([document]) => document)).toEqual([
      "docs/configuration.md",
      "docs/configuration.md",
      "docs/configuration.md",
      "docs/deploying.md",
    ]);
    expect(fragments.map(([document]) => document)).toEqual([
      "docs/configuration.md",
      "docs/configuration.md",
      "docs/subscribing.md",
    ]);
  });

  test("are in blocks of JSON, so that none is left out here", () => {
    const field = new RegExp(`^[ >{]*"(${fields.join("|")})" *:`, "m");
    for (const { document, language, text } of blocks) {
      if (language.toLowerCase().startsWith("json")) JSON.parse(text);
      else expect(field.test(text), `${document}: ${text}`).toBe(false);
    }
  });

  test.each(configs)("%s: a stack can be made of %s", (_case, config) => {
    expect(Object.keys(synthesized(config).Resources).length).toBeGreaterThan(20);
  });

  test.each(fragments)("%s: a config may have %s", (_case, config) => {
    expect(() => synthesizeTemplate(JSON.parse(config))).not.toThrow();
  });
});

test("the documented front of CloudFront and WAF can be synthesized", async () => {
  const [code = ""] = codeIn("docs/waf.md", "ts");
  const file = join(folder, "front.ts");
  writeFileSync(file, code);
  type Front = new (scope: App, id: string, props: StackProps & Record<string, unknown>) => Stack;
  const { PaycastFront }: { PaycastFront: Front } = await import(file);
  const outdir = join(folder, "front.out");
  const app = new App({ outdir });
  const certificateArn = "arn:aws:acm:us-east-1:123456789012:certificate/abc";
  const domainTarget = "d-abc.execute-api.eu-west-1.amazonaws.com";
  new PaycastFront(app, "Front", {
    domainName: "callbacks.shop.example.com",
    domainTarget,
    certificateArn,
    env: { account: "123456789012", region: "us-east-1" },
  });
  const template: StackTemplate = app.synth().getStackByName("Front").template;
  const [[, distribution] = []] = resourcesOf(template, "AWS::CloudFront::Distribution");
  const { Origins, WebACLId, Aliases } = distribution!.Properties.DistributionConfig;
  expect(Origins[0].DomainName).toBe(domainTarget);
  expect(WebACLId).toBeDefined();
  expect(Aliases).toEqual(["callbacks.shop.example.com"]);
});
