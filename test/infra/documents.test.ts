import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { App, type Stack, type StackProps } from "aws-cdk-lib";
import { afterAll, describe, expect, test } from "vitest";
import { parseDeployment } from "../../infra/config/environment-config.ts";
import { PaycastStack } from "../../infra/paycast-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import { resourcesOf, type StackTemplate, stub, synthesizeTemplate } from "./stack-template.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
mkdirSync(join(root, ".build"), { recursive: true });
/** Inside the repository, so that documented code finds its packages. */
const folder = mkdtempSync(join(root, ".build", "documents-"));
afterAll(() => rmSync(folder, { recursive: true }));

function blocksOf(document: string, language: string): string[] {
  const text = readFileSync(join(root, "docs", document), "utf8");
  const pattern = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, "gms");
  return [...text.matchAll(pattern)].map(([, , block = ""]) => block);
}

const documents = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const configs = documents.flatMap((name) =>
  blocksOf(name, "json")
    .map((block) => JSON.parse(block))
    .filter((content) => "merchants" in content)
    .map((content, index) => [`${name} ${index + 1}`, content] as const),
);

/** With the library's own validation, as `npx cdk synth` does. */
function synthesize(input: unknown): StackTemplate {
  const { config, environment } = parseDeployment(input);
  const app = createApp({ outdir: mkdtempSync(join(folder, "out-")) });
  const codeOf = (name: Parameters<typeof stub>[1]) => stub(folder, name);
  const stack = new PaycastStack(app, environment.name ?? "Paycast", {
    config,
    codeOf,
    environment,
  });
  return app.synth().getStackByName(stack.stackName).template;
}

describe("the documented configs", { timeout: 60_000 }, () => {
  test("are found", () => {
    expect(configs.map(([name]) => name)).toEqual([
      "configuration.md 1",
      "configuration.md 2",
      "deploying.md 1",
    ]);
  });

  test.each(configs)("%s can be synthesized", (_, input) => {
    expect(Object.keys(synthesize(input).Resources).length).toBeGreaterThan(20);
  });
});

test("the documented import names resources that the stack has, by their right identifier", () => {
  const [mapping = "{}"] = blocksOf("changing.md", "json");
  const { Resources } = synthesizeTemplate({ merchants: ["M1"], subscribers: [] });
  const identifiers: Readonly<Record<string, string>> = {
    "AWS::DynamoDB::Table": "TableName",
    "AWS::SQS::Queue": "QueueUrl",
    "AWS::SecretsManager::Secret": "Id",
    "AWS::Logs::LogGroup": "LogGroupName",
  };
  const named = Object.entries<object>(JSON.parse(mapping));
  const kept = Object.entries(Resources).filter(
    ([, { Type, DeletionPolicy }]) => Type in identifiers && DeletionPolicy !== "Delete",
  );
  expect(named.map(([id]) => id).sort()).toEqual(kept.map(([id]) => id).sort());
  for (const [id, identifier] of named) {
    expect(Object.keys(identifier)).toEqual([identifiers[Resources[id]!.Type]]);
  }
});

test("the documented front of CloudFront and WAF can be synthesized", async () => {
  const [code = ""] = blocksOf("waf.md", "ts");
  const file = join(folder, "front.ts");
  writeFileSync(file, code);
  type Front = new (scope: App, id: string, props: StackProps & object) => Stack;
  const { PaycastFront }: { PaycastFront: Front } = await import(file);
  const app = new App({ outdir: join(folder, "front.out") });
  const certificateArn = "arn:aws:acm:us-east-1:123456789012:certificate/abc";
  const domainTarget = "d-abc.execute-api.eu-west-1.amazonaws.com";
  new PaycastFront(app, "Front", {
    ...{ domainName: "callbacks.shop.example.com", domainTarget, certificateArn },
    env: { account: "123456789012", region: "us-east-1" },
  });
  const template: StackTemplate = app.synth().getStackByName("Front").template;
  const [[, distribution] = []] = resourcesOf(template, "AWS::CloudFront::Distribution");
  const { Origins, WebACLId, Aliases } = distribution!.Properties.DistributionConfig;
  expect(Origins[0].DomainName).toBe(domainTarget);
  expect(WebACLId).toBeDefined();
  expect(Aliases).toEqual(["callbacks.shop.example.com"]);
});
