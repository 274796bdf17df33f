import { NestedStack, Stack, Tags } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { messageOf } from "../builders/thrown-by.ts";
import { newApp, newPaycast, paycastIn } from "./consuming/consumer-stack.ts";
import { resourcesOf, type StackTemplate } from "./stack-template.ts";

function templateOf(
  props: Partial<PaycastProps> = {},
  env: { account?: string; region?: string } = {},
): StackTemplate {
  const app = newApp();
  newPaycast(app, props, { env });
  return app.synth().getStackByName("Payments").template;
}

const refusalOf = (props: object, env: { region?: string } = {}) =>
  messageOf(() => templateOf(props as PaycastProps, env));

describe("two constructs in one app", () => {
  test("share nothing but the code of their functions", () => {
    const app = newApp();
    newPaycast(app, {}, {}, "Europe");
    newPaycast(app, {}, {}, "Asia");
    const assembly = app.synth();
    const [europe, asia] = ["Europe", "Asia"].map((name) => {
      const template: StackTemplate = assembly.getStackByName(name).template;
      const text = JSON.stringify(template);
      return { text, outputs: template.Outputs };
    });
    expect(Object.keys(europe!.outputs)).toEqual(Object.keys(asia!.outputs));
    expect(europe!.text).toContain('"METRICS_NAMESPACE":"Europe"');
    expect(europe!.text).not.toContain("Asia");
    expect(europe!.text).not.toContain("Fn::ImportValue");
  });

  test("cannot be in one stack, because operators find one by the name of its stack", () => {
    const stack = new Stack(newApp(), "Payments");
    paycastIn(stack, {}, "One");
    expect(messageOf(() => paycastIn(stack, {}, "Two"))).toBe(
      "Payments/Two needs a stack of its own: Payments/One is in this one.",
    );
  });

  test("may be in a stack and in another one below it, whichever is made first", () => {
    const app = newApp();
    const outer = new Stack(app, "Outer");
    paycastIn(new Stack(outer, "Below"));
    paycastIn(new NestedStack(outer, "Nested"));
    expect(messageOf(() => paycastIn(outer))).toBe("accepted");
    expect(app.synth().stacks.map(({ stackName }) => stackName)).toHaveLength(2);
  });
});

describe("the construct", () => {
  test("gives the addresses, the alarms and the queues to the rest of the app", () => {
    const paycast = newPaycast(newApp());
    expect(paycast.callbackUrl).toBe(`${paycast.apiUrl}/callbacks`);
    expect(paycast.alarms.length).toBeGreaterThan(10);
    expect(paycast.subscriberQueue("analytics")).toMatchObject({
      ordered: false,
      consumerTimeoutSeconds: 30,
    });
    expect(messageOf(() => paycast.subscriberQueue("crm"))).toBe(
      'Payments/Paycast has no subscriber "crm". It has: ledger, analytics.',
    );
  });

  test("has tags of its own", () => {
    const app = newApp();
    Tags.of(newPaycast(app)).add("owner", "platform");
    const { template } = app.synth().getStackByName("Payments");
    const queues = resourcesOf(template, "AWS::SQS::Queue");
    for (const [, { Properties }] of queues) {
      expect(Properties.Tags).toEqual([{ Key: "owner", Value: "platform" }]);
    }
  });

  test("makes a queue hide messages for six times what its consumer may take", () => {
    const template = templateOf({
      subscribers: [{ name: "ledger", types: ["*"], consumerTimeoutSeconds: 120 }],
    });
    const hidden = resourcesOf(template, "AWS::SQS::Queue").map(
      ([id, { Properties }]) => [id.slice(0, -8), Properties.VisibilityTimeout] as const,
    );
    expect(Object.fromEntries(hidden)["PaycastSubscribersledgerQueue"]).toBe(720);
  });
});

describe("wrong props", () => {
  test("are refused all at once, each in a line of its own", () => {
    expect(refusalOf({ merchants: [], subscriber: [] })).toBe(
      "Payments/Paycast has props that are wrong:\n" +
        "  merchants must be at least 1 entries long\n" +
        "  the config has unknown fields: subscriber",
    );
  });

  test("are refused if they name what lies in another region than the stack", () => {
    const secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:keys-a1B2c3";
    const props = {
      secrets: { M1: { requestKeysArn: secret } },
      encryptionKeyArn: "arn:aws:kms:us-east-1:123456789012:key/k-1",
    };
    expect(refusalOf(props, { region: "eu-west-1" })).toBe(
      "Payments/Paycast has props that are wrong:\n" +
        "  encryptionKeyArn must be in eu-west-1, where the stack is deployed\n" +
        "  secrets.M1.requestKeysArn must be in eu-west-1, where the stack is deployed",
    );
    expect(refusalOf(props)).toBe("accepted");
  });
});
