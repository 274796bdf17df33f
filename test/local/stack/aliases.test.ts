import { expect, test } from "vitest";
import { httpApi, useStacks } from "./stack-fixture.ts";

const fixture = useStacks();
const code = `export const handler = async () => ({ statusCode: 200, body: "from the function" });`;

/** The resources of a gradual rollout, with a route that leads to the alias. */
function rolledOut(FunctionName: unknown) {
  const api = JSON.parse(
    JSON.stringify(httpApi(["GET /"])).replaceAll('{"Fn::GetAtt":["Fn","Arn"]}', '{"Ref":"Live"}'),
  );
  const FunctionVersion = { "Fn::GetAtt": ["Version", "Version"] };
  return {
    ...api,
    Version: { Type: "AWS::Lambda::Version", Properties: { FunctionName: { Ref: "Fn" } } },
    Live: {
      Type: "AWS::Lambda::Alias",
      Properties: { Name: "live", FunctionName, FunctionVersion },
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: {} },
    },
    Rollouts: { Type: "AWS::CodeDeploy::Application", Properties: {} },
    Group: { Type: "AWS::CodeDeploy::DeploymentGroup", Properties: {} },
  };
}

test("a route that leads to an alias is answered by its function", async () => {
  const { api } = await fixture.startFunction(code, rolledOut({ Ref: "Fn" }));
  expect(await (await fetch(`${api}/`)).text()).toBe("from the function");
});

test("an alias that does not name its function by a reference is refused", async () => {
  await expect(fixture.startFunction(code, rolledOut("fn"))).rejects.toThrow(
    "An AWS::Lambda::Alias must name its function by a Ref.",
  );
});
