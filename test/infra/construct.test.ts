import { NestedStack, Stack, Tags } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { describe, expect, test } from "vitest";
import { messageOf } from "../builders/thrown-by.ts";
import { newApp, newPaycast, paycastIn } from "./paycast-app.ts";
import { propertiesOf, type StackTemplate } from "./stack-template.ts";

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
    expect(paycast.subscriberQueue("ledger").fifo).toBe(true);
    expect(paycast.subscriberQueue("analytics").fifo).toBe(false);
    expect(messageOf(() => paycast.subscriberQueue("crm"))).toBe(
      'Payments/Paycast has no subscriber "crm". It has: ledger, analytics.',
    );
  });

  test("has tags of its own, takes a role of the app as an operator, and hides messages for six times what their consumer may take", () => {
    const app = newApp();
    const stack = new Stack(app, "Payments");
    const assumedBy = new ServicePrincipal("ec2.amazonaws.com");
    const { roleArn } = new Role(stack, "OnCall", { assumedBy });
    const subscribers = [{ name: "ledger", types: ["*" as const], consumerTimeoutSeconds: 120 }];
    Tags.of(paycastIn(stack, { operators: [roleArn], subscribers })).add("owner", "platform");
    const { template } = app.synth().getStackByName("Payments");
    const queues = propertiesOf(template, "AWS::SQS::Queue");
    for (const { Tags } of Object.values(queues)) {
      expect(Tags).toEqual([{ Key: "owner", Value: "platform" }]);
    }
    const [, ledger] = Object.entries(queues).find(([id]) => id.includes("ledgerQueue"))!;
    expect(ledger.VisibilityTimeout).toBe(720);
    const policies = JSON.stringify(propertiesOf(template, "AWS::SQS::QueuePolicy"));
    expect(policies).toMatch(/"aws:PrincipalArn":\[[^\]]*"OnCall/);
  });
});
