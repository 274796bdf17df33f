import { type App, Stack, Annotations as WarningsOf } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { describe, expect, test } from "vitest";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { newApp, paycastIn } from "./consuming/consumer-stack.ts";
import { everyOption } from "./every-option.ts";
import {
  plainId,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

interface Statement {
  readonly Effect: string;
  readonly Action: string;
  readonly Principal: unknown;
  readonly Condition?: { ArnNotLike?: Record<string, unknown> };
}

/** By queue: the roles that its policy does not refuse, in words. Undefined if anybody may send. */
function sendersIn(template: StackTemplate): Record<string, string[] | undefined> {
  const policies = resourcesOf(template, "AWS::SQS::QueuePolicy").map(([, { Properties }]) => {
    const { Statement } = Properties.PolicyDocument as { Statement: Statement[] };
    const refusal = Statement.find(
      ({ Effect, Action }) => Effect === "Deny" && Action === "sqs:SendMessage",
    );
    expect(refusal?.Principal).toEqual({ AWS: "*" });
    const { ArnNotLike = { "aws:PrincipalArn": [] }, ...others } = refusal?.Condition ?? {};
    expect(others).toEqual({});
    const roles = [ArnNotLike["aws:PrincipalArn"]].flat().map(spell);
    return [spell(Properties.Queues[0]), refusal && roles] as const;
  });
  return Object.fromEntries(policies);
}

const operator = everyOption.operators![0]!;
const teamRole = everyOption.subscribers[0]!.operators![0]!;
const receiver = "IntakeReceiveCallbackRole";
const processor = "ProcessingProcessCallbackRole";
const askers = ["StorefrontQueryOrderRole", "ReconciliationReconcileOrdersRole"];

describe("a queue", () => {
  const template = synthesizeTemplate(everyOption);

  test("accepts messages from the functions that send there and from operators, and from nobody else", () => {
    expect(sendersIn(template)).toEqual({
      InboxMessagesQueue: [receiver, ...askers, operator],
      InboxMessagesDeadLetters: [processor, operator],
      SubscribersfulfilmentQueue: [processor, operator, teamRole],
      SubscribersfulfilmentDeadLetters: [operator],
      SubscribersanalyticsQueue: [processor, operator],
      SubscribersanalyticsDeadLetters: [operator],
      Subscriberspaycastsmoke: [processor, operator],
      IntakeCaptured: [receiver, operator],
    });
    const queues = resourcesOf(template, "AWS::SQS::Queue").map(([id]) => plainId(id));
    expect(Object.keys(sendersIn(template)).sort()).toEqual(queues.sort());
  });

  test("names exactly the functions that have the permission to send to it", () => {
    const granted = resourcesOf(template, "AWS::IAM::Role").flatMap(([id, { Properties }]) =>
      (Properties.Policies ?? [])
        .flatMap(
          ({ PolicyDocument }: { PolicyDocument: { Statement: object[] } }) =>
            PolicyDocument.Statement,
        )
        .filter(({ Action }: { Action: string | string[] }) =>
          [Action].flat().includes("sqs:SendMessage"),
        )
        .flatMap(({ Resource }: { Resource: unknown }) =>
          [Resource].flat().map((queue) => [spell(queue), plainId(id)]),
        ),
    );
    const refused = Object.entries(sendersIn(template)).flatMap(([queue, roles = []]) =>
      roles.filter((role) => role.endsWith("Role")).map((role) => [queue, role]),
    );
    expect(refused.sort()).toEqual(granted.sort());
  });

  test("accepts messages from the functions alone if no operators are named, and dead letters from nobody", () => {
    const alone = sendersIn(synthesizeTemplate({ operators: [] }));
    expect(alone["InboxMessagesQueue"]).toEqual([receiver, ...askers]);
    expect(alone["SubscribersanalyticsDeadLetters"]).toEqual([]);
  });

  test("refuses by no statement with NotPrincipal", () => {
    expect(JSON.stringify(template)).not.toContain("NotPrincipal");
  });
});

describe("the construct", () => {
  const heard = { alarms: { email: "a@example.com" } };
  const stackWith = (props: Partial<PaycastProps>) => {
    const stack = new Stack(newApp(), "Payments");
    return { stack, paycast: paycastIn(stack, { ...heard, ...props }) };
  };
  const warning = Match.stringLikeRegexp("Nobody may redrive or replay");

  test("warns that nobody may redrive, until operators are named or the warning is acknowledged", () => {
    const { stack, paycast } = stackWith({ operators: [] });
    expect(Annotations.fromStack(stack).findWarning("*", warning)).toHaveLength(1);
    WarningsOf.of(paycast).acknowledgeWarning("paycast:noOperators");
    Annotations.fromStack(stack).hasNoWarning("*", Match.anyValue());
    const named = stackWith({ operators: ["arn:aws:iam::123456789012:role/on-call"] });
    Annotations.fromStack(named.stack).hasNoWarning("*", Match.anyValue());
  });

  test("takes a role of the same app", () => {
    const stack = new Stack(newApp(), "Payments");
    const role = new Role(stack, "OnCall", {
      assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
    });
    paycastIn(stack, { ...heard, operators: [role.roleArn] });
    const template = (stack.node.root as App).synth().getStackByName("Payments").template;
    expect(sendersIn(template)["PaycastInboxMessagesQueue"]).toContain("OnCall");
  });
});
