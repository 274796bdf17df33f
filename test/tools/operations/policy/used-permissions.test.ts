import { beforeAll, describe, expect, test } from "vitest";
import { compile, evaluate } from "../../../../tools/local/permissions/evaluate.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { takeEveryFlow } from "./every-flow.ts";

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const operated = useOperatedStack({ smoke: true, callbacks: { captureUntil: tomorrow } });
beforeAll(async () => await takeEveryFlow(operated));

/**
 * What no flow on one machine uses, and why a role has it. By function, action and resource, as the template names them:
 * the same action of another function needs a reason of its own.
 */
const reasons: Readonly<Record<string, string>> = {
  ...writesLogs("IntakeReceiveCallback"),
  ...writesLogs("ProcessingProcessCallback"),
  ...writesLogs("AttentionCountAttention"),
  ...writesLogs("StorefrontCreateOrder"),
  ...writesLogs("StorefrontQueryOrder"),
  ...writesLogs("ReconciliationReconcileOrders"),
  "ProcessingProcessCallbackFunction sqs:GetQueueAttributes InboxMessagesQueue":
    "Lambda asks for the inbox's settings when it makes the mapping.",
};

function writesLogs(name: string) {
  const actions = ["logs:CreateLogStream", "logs:PutLogEvents"];
  const reason = "Lambda writes the logs of a function with its role.";
  const grants = actions.map((action) => [`${name}Function ${action} ${name}Logs`, reason]);
  return Object.fromEntries(grants);
}

/** "Paycast-IntakeReceiveCallbackLogs6293FDBD" without the stack's name and the hash. */
const inTemplate = (text: string) =>
  /Paycast-(\w+?)[0-9A-F]{8}(?:\.fifo)?$/.exec(text)?.[1] ?? text;

const guard = () => operated.stack().guard;
/** Each with its role. Those that poll queues for them have the same roles. */
const functionsOf = () =>
  guard()
    .principals()
    .filter(({ functionArn }) => functionArn !== undefined);

/** Each action on each resource that a role allows. */
function grantsOf() {
  return functionsOf().flatMap(({ name, statements }) =>
    statements.flatMap((statement) =>
      statement.Action.flatMap((action) =>
        statement.Resource.map((resource) => ({ name, statement, action, resource })),
      ),
    ),
  );
}

describe("the functions' roles", () => {
  test("allow nothing that no flow uses, except for a reason", async () => {
    const uses = guard().uses();
    const unused = grantsOf().filter(
      ({ statement, action, resource }) =>
        !uses.some(
          (use) =>
            use.statement === statement &&
            use.requirement.action === action &&
            use.requirement.resource === resource,
        ),
    );
    const named = unused.map(
      ({ name, action, resource }) => `${inTemplate(name)} ${action} ${inTemplate(resource)}`,
    );
    expect(named.sort()).toEqual(Object.keys(reasons).sort());
  });

  test("are used by Lambda's poller too, which is not the function's code", () => {
    const codeOf = (action: string) => {
      const used = guard()
        .uses()
        .filter(({ requirement }) => requirement.action === action);
      return used.map(({ requirement }) => requirement.context["lambda:SourceFunctionArn"]);
    };
    expect(codeOf("sqs:ReceiveMessage")).toEqual([undefined]);
    expect(codeOf("secretsmanager:GetSecretValue")).not.toContain(undefined);
  });

  test("lack nothing: no call of a flow was denied", () => {
    expect(guard().denials()).toEqual([]);
  });

  test("allow each call by one statement only: without it, the call would be denied", () => {
    const principals = guard().principals();
    const uses = guard().uses();
    expect(new Set(uses.map(({ principal }) => principal)).size).toBe(principals.length);
    for (const { principal, statement, requirement } of uses) {
      const { statements } = principals.find(({ name }) => name === principal)!;
      const others = statements.filter((candidate) => candidate !== statement).map(compile);
      expect(evaluate(others, requirement), `${principal} ${requirement.action}`).toMatchObject({
        isAllowed: false,
      });
    }
  });
});
