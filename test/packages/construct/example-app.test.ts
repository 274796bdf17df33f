import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { loadConfig } from "../../../infra/config/load-config.ts";
import { createApp, synthesize } from "../../../infra/synthesize.ts";
import { resourcesOf, type StackTemplate } from "../../infra/stack-template.ts";
import { comparable } from "./compared-template.ts";
import { type Project, root, typescript, usePackage } from "./installed-package.ts";

const packed = usePackage();
const slow = 180_000;

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

  beforeAll(() => {
    const example = join(root, "examples/cdk-app");
    project = packed.newProject("example", { type: "module" }, example);
    expect(project.run([typescript])).toEqual({ status: 0, out: "", err: "" });
    expect(synth()).toMatchObject({ status: 0, err: "" });
  }, slow);

  test(
    "makes the resources that this repository deploys, with the same bytes in the functions",
    async () => {
      const app = createApp({ outdir: join(project.folder, "ours") });
      const ours: StackTemplate = (await synthesize(app, loadConfig())).getStackByName(
        "Paycast",
      ).template;
      const theirs = templateOf(project, "Payments");
      expect(comparable(theirs, { stackName: "Payments", constructId: "Paycast" })).toEqual(
        comparable(ours, { stackName: "Paycast", constructId: "" }),
      );
      expect(Object.keys(theirs.Outputs)).toEqual(
        expect.arrayContaining(Object.keys(ours.Outputs)),
      );
    },
    slow,
  );

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

  test("is refused with one line if its function may run longer than the queue allows", () => {
    const stack = join(project.folder, "build/shipping-stack.js");
    const text = readFileSync(stack, "utf8");
    writeFileSync(stack, text.replace("seconds(20)", "seconds(40)"));
    const { status, err } = synth();
    writeFileSync(stack, text);
    expect(status).toBe(1);
    expect(err).toContain("Shipping/Events would lose or repeat messages:\n  The queue hides");
  });

  test("answers with the event that failed and the later ones of its order, and with no event of another order", async () => {
    const lines = (["log", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(),
    );
    const { handler } = await import(join(root, "examples/cdk-app/ship-order/index.mjs"));
    const good = JSON.stringify({ id: "e1", type: "payment.order.success", subject: "O-1" });
    const record = (messageId: string, MessageGroupId: string, body = good) => {
      return { messageId, body, attributes: { MessageGroupId } };
    };
    const broken = record("2", "order-a", "secret{");
    const Records = [
      record("1", "order-a"),
      broken,
      record("3", "order-b"),
      record("4", "order-a"),
    ];
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: "2" }, { itemIdentifier: "4" }],
    });
    expect(await handler({ Records: Records.slice(0, 1) })).toEqual({ batchItemFailures: [] });
    const unordered = [
      { messageId: "5", body: "{" },
      { messageId: "6", body: good },
    ];
    expect(await handler({ Records: unordered })).toEqual({
      batchItemFailures: [{ itemIdentifier: "5" }],
    });
    expect(JSON.stringify(lines.map(({ mock }) => mock.calls))).not.toContain("secret");
  });
});
