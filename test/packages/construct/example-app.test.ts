import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import type { Config } from "../../../infra/config/config-schema.ts";
import { loadConfig } from "../../../infra/config/load-config.ts";
import { createApp, synthesize } from "../../../infra/synthesize.ts";
import { testEvent } from "../../../shared/consumer/test-events.ts";
import { testRecord } from "../../../shared/consumer/test-records.ts";
import { packEvents } from "../../../tools/contract/packages/pack-events.ts";
import { guideFlags } from "../../examples/guide-flags.ts";
import {
  plainId,
  type Resource,
  resourcesOf,
  type StackTemplate,
} from "../../infra/stack-template.ts";
import { packOnce } from "../../setup/packed.ts";
import { type Project, root, typescript, usePackage } from "./installed-package.ts";

const packed = usePackage();

function templateOf({ folder }: Project, stackName: string): StackTemplate {
  return JSON.parse(readFileSync(join(folder, `out/${stackName}.template.json`), "utf8"));
}

describe("the example app, outside the repository", () => {
  let project: Project;
  /** As the CDK's command runs it: with the context of cdk.json. */
  const synth = () => {
    const { context } = JSON.parse(readFileSync(join(project.folder, "cdk.json"), "utf8"));
    const CDK_CONTEXT_JSON = JSON.stringify(context);
    return project.run(["build/app.js"], {
      CDK_OUTDIR: join(project.folder, "out"),
      CDK_CONTEXT_JSON,
    });
  };

  beforeAll(async () => {
    const example = join(root, "examples/cdk-app");
    const { scripts } = JSON.parse(readFileSync(join(example, "package.json"), "utf8"));
    const manifest = { type: "module", scripts };
    project = packed.newProject("example", manifest, example, [
      await packOnce("paycast-events", packEvents),
    ]);
    expect(project.run([typescript])).toEqual({ status: 0, out: "", err: "" });
    const env = {
      ...process.env,
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
    };
    execFileSync("npm", ["run", "--silent", "bundle"], { cwd: project.folder, env, stdio: "pipe" });
    expect(synth()).toMatchObject({ status: 0, err: "" });
  });

  test("makes the resources that this repository deploys, with the same bytes in the functions", async () => {
    const outdir = join(project.folder, "ours");
    const app = createApp({ outdir, builtinCloudFormationValidation: false });
    const assembly = await synthesize(app, exampleConfig());
    const ours: StackTemplate = assembly.getStackByName("Paycast").template;
    const theirs = templateOf(project, "Payments");
    expect(comparable(theirs, { stackName: "Payments", constructId: "Paycast" })).toEqual(
      comparable(ours, { stackName: "Paycast", constructId: "" }),
    );
    expect(Object.keys(theirs.Outputs)).toEqual(expect.arrayContaining(Object.keys(ours.Outputs)));
  });

  test.each(["Payments", "Shipping"])("is synthesized without a warning: %s", (stackName) => {
    const metadata = readFileSync(join(project.folder, `out/${stackName}.metadata.json`), "utf8");
    expect(metadata).toContain("aws:cdk:logicalId");
    expect(metadata).not.toContain("aws:cdk:warning");
  });

  test("puts the tags of its stack on all that can have tags", () => {
    const tagged = Object.values(templateOf(project, "Payments").Resources).filter(
      ({ Properties }) => Properties?.Tags !== undefined,
    );
    const types = new Set(tagged.map(({ Type }) => Type));
    expect([...types].sort()).toEqual(
      expect.arrayContaining([
        "AWS::ApiGatewayV2::Api",
        "AWS::CloudWatch::Alarm",
        "AWS::DynamoDB::Table",
        "AWS::Lambda::Function",
        "AWS::SQS::Queue",
        "AWS::SecretsManager::Secret",
      ]),
    );
    for (const { Properties } of tagged) {
      expect(JSON.stringify(Properties.Tags)).toMatch(/team.*payments/);
    }
  });

  test("attaches its function to the queue of its subscriber, with partial batch responses", () => {
    const mappings = resourcesOf(
      templateOf(project, "Shipping"),
      "AWS::Lambda::EventSourceMapping",
    );
    const { EventSourceArn, ...properties } = mappings[0]![1].Properties;
    expect(properties).toMatchObject({
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
    expect(JSON.stringify(EventSourceArn)).toContain("fulfilmentQueue");
  });

  test("hides a message for six times the timeout of its function, as Lambda wants it", () => {
    const functions = resourcesOf(templateOf(project, "Shipping"), "AWS::Lambda::Function");
    const queues = resourcesOf(templateOf(project, "Payments"), "AWS::SQS::Queue");
    const [, queue] = queues.find(([id]) => /fulfilmentQueue/.test(id))!;
    const { VisibilityTimeout } = queue.Properties;
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * functions[0]![1].Properties.Timeout);
  });

  describe("has a function that", () => {
    const batchOf = (...Records: object[]) => ({ Records });
    const paid = (flags: readonly string[] = []) => testEvent("payment.order.success", { flags });
    let handler: (batch: object) => Promise<object>;
    let lines: { log: MockInstance; error: MockInstance };
    beforeAll(async () => {
      handler = (await import(join(project.folder, "bundle/index.mjs"))).handler;
    });
    beforeEach(() => {
      vi.restoreAllMocks();
      const silent = (name: "log" | "error") => vi.spyOn(console, name).mockReturnValue();
      lines = { log: silent("log"), error: silent("error") };
    });
    const logged = () => lines.log.mock.calls.map(([line]) => JSON.parse(line));

    test("answers with the event that failed, and with the later ones of its order", async () => {
      const broken = { ...testRecord(paid()), messageId: "broken", body: "secret{" };
      const behind = { ...testRecord(paid()), messageId: "behind" };
      const other = testRecord(testEvent("payment.order.success", { orderNo: "OTHER" }));
      expect(await handler(batchOf(broken, other, behind))).toEqual({
        batchItemFailures: [{ itemIdentifier: "broken" }, { itemIdentifier: "behind" }],
      });
      expect(logged()).toMatchObject([{ todo: "ship", orderNo: "OTHER" }]);
      expect(JSON.stringify(lines.error.mock.calls)).not.toContain("secret");
    });

    test("tries the later events, when the one that fails will soon be a dead letter", async () => {
      const broken = { ...testRecord(paid(), { receiveCount: 8 }), messageId: "broken", body: "{" };
      expect(await handler(batchOf(broken, testRecord(paid(), { receiveCount: 8 })))).toEqual({
        batchItemFailures: [{ itemIdentifier: "broken" }],
      });
      expect(logged()).toMatchObject([{ todo: "ship" }]);
    });

    test("ships a paid order and nothing else, and asks a person where the guide says so", async () => {
      const refunded = testRecord(testEvent("payment.refund.success"));
      const strange = testRecord(paid());
      const unknown = { ...strange, body: strange.body.replace("order.success", "order.new") };
      await handler(batchOf(testRecord(paid()), refunded, unknown));
      expect(logged()).toMatchObject([{ todo: "ship" }]);
      for (const flag of guideFlags.stopping) await handler(batchOf(testRecord(paid([flag]))));
      for (const flag of guideFlags.others) await handler(batchOf(testRecord(paid([flag]))));
      expect(
        logged()
          .slice(1)
          .map(({ todo, flags }) => [todo, ...flags]),
      ).toEqual([
        ...guideFlags.stopping.map((flag) => ["ask a person", flag]),
        ...guideFlags.others.map((flag) => ["ship", flag]),
      ]);
    });
  });
});

/** Of a policy, the order of statements, actions and resources says nothing, and the CDK sorts it only with one of its flags. */
const setsOfPolicies = new Set(["Statement", "Action", "Resource"]);

/**
 * The resources of a stack under the ids that they have without the construct around them, without tags and metadata,
 * and with STACK for the stack's name: what is left must be the same wherever the construct is used.
 */
function comparable(
  template: StackTemplate,
  { stackName, constructId }: { stackName: string; constructId: string },
): Record<string, unknown> {
  const rename = (id: string) => commonId(id, stackName, constructId);
  const known = new Set(Object.keys(template.Resources));
  const visit = (value: unknown, key = ""): unknown => {
    if (typeof value === "string") {
      return known.has(value) ? rename(value) : value.replaceAll(stackName, "STACK");
    }
    if (Array.isArray(value)) {
      const entries = key === "Statement" ? value.flatMap(onePerResource) : value;
      const visited = entries.map((entry) => visit(entry));
      return setsOfPolicies.has(key) ? sorted(visited) : visited;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([name]) => name !== "Tags");
    return Object.fromEntries(entries.map(([name, entry]) => [name, visit(entry, name)]));
  };
  return Object.fromEntries(
    Object.entries(template.Resources).map(([id, resource]) => [
      rename(id),
      visit(withoutMetadata(resource)),
    ]),
  );
}

/** An app's feature flag decides whether statements that differ only in their resource are written as one. */
function onePerResource(statement: { Resource?: unknown }): unknown[] {
  const { Resource } = statement;
  return Array.isArray(Resource)
    ? Resource.map((arn) => ({ ...statement, Resource: arn }))
    : [statement];
}

/** A permission of EventBridge has the path of its target in the middle of its id. */
function commonId(id: string, stackName: string, constructId: string): string {
  return plainId(id)
    .replace(new RegExp(`^${constructId}`), "")
    .replace(new RegExp(`AllowEventRule${stackName}(${constructId})?`), "AllowEventRule")
    .replace(/[0-9A-F]{8}$/, "");
}

function withoutMetadata({ Metadata, ...resource }: Resource): Omit<Resource, "Metadata"> {
  return resource;
}

function sorted(values: unknown[]): unknown[] {
  return [...values].sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

/** The sample config, with what the example names and the sample cannot know. */
function exampleConfig(): Config {
  const sample = loadConfig();
  return {
    ...sample,
    storefront: {
      access: "iam",
      redirectOrigins: ["https://shop.example.com"],
      requestsPerSecond: { create: 100, query: 200 },
    },
    alarms: { email: "payments-on-call@example.com" },
    operators: ["arn:aws:iam::123456789012:role/payments-operators"],
  };
}
