import { beforeAll, describe, expect, test } from "vitest";
import { compile, evaluate } from "../../../../tools/local/permissions/evaluate.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { takeEveryFlow } from "./every-flow.ts";

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const operated = useOperatedStack({ smoke: true, callbacks: { captureUntil: tomorrow } });
beforeAll(async () => await takeEveryFlow(operated));

/** What no flow on one machine uses, and why a role has it. */
const reasons: Readonly<Record<string, string>> = {
  "logs:CreateLogStream": "Lambda writes the logs of a function with its role.",
  "logs:PutLogEvents": "Lambda writes the logs of a function with its role.",
  "sqs:GetQueueAttributes": "Lambda asks for the inbox's settings when it makes the mapping.",
};

const guard = () => operated.stack().guard;
const functionsOf = () => guard().principals();

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
    const unexplained = unused.filter(({ action }) => reasons[action] === undefined);
    expect(
      unexplained.map(({ name, action, resource }) => `${name} ${action} ${resource}`),
    ).toEqual([]);
    expect(new Set(unused.map(({ action }) => action))).toEqual(new Set(Object.keys(reasons)));
  });

  test("lack nothing: no call of a flow was denied", () => {
    expect(guard().denials()).toEqual([]);
  });

  test("allow each call by one statement only: without it, the call would be denied", () => {
    const functions = functionsOf();
    const uses = guard().uses();
    expect(new Set(uses.map(({ principal }) => principal)).size).toBe(functions.length);
    for (const { principal, statement, requirement } of uses) {
      const { statements } = functions.find(({ name }) => name === principal)!;
      const others = statements.filter((candidate) => candidate !== statement).map(compile);
      expect(evaluate(others, requirement), `${principal} ${requirement.action}`).toMatchObject({
        isAllowed: false,
      });
    }
  });
});
