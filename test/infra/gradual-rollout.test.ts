import { describe, expect, test } from "vitest";
import { plainId, resourceNamed, resourcesOf, synthesizeTemplate } from "./stack-template.ts";

const usual = synthesizeTemplate();
// With the library's own validation of templates.
const gradual = synthesizeTemplate({ rollout: "gradual" }, {});
const functionIds = resourcesOf(usual, "AWS::Lambda::Function").map(([id]) => id);
const [[aliasId, alias] = []] = resourcesOf(gradual, "AWS::Lambda::Alias");

describe("a gradual rollout", () => {
  test("leads callbacks to the alias of receive-callback, and no other route", () => {
    const uris = resourcesOf(gradual, "AWS::ApiGatewayV2::Integration").map(([, { Properties }]) =>
      JSON.stringify(Properties.IntegrationUri),
    );
    expect(uris.filter((uri) => uri.includes(aliasId!))).toHaveLength(1);
    const callbacks = resourceNamed(gradual, "HttpApiPOSTcallbacksReceiveCallbackIntegration");
    expect(callbacks.Properties.IntegrationUri).toEqual({ Ref: aliasId });
  });

  test("lets API Gateway call the alias", () => {
    const callable = resourcesOf(gradual, "AWS::Lambda::Permission").map(([, { Properties }]) =>
      JSON.stringify(Properties.FunctionName),
    );
    expect(callable).toContain(JSON.stringify({ Ref: aliasId }));
  });

  test.each([
    ["gradual", gradual],
    ["at once", usual],
  ])("changes no route's target before API Gateway may call it: %s", (_, template) => {
    for (const [id, integration] of resourcesOf(template, "AWS::ApiGatewayV2::Integration")) {
      const called = JSON.stringify(integration.Properties.IntegrationUri);
      const permissions = integration.DependsOn?.map((name) => template.Resources[name]!);
      expect(permissions, id).toMatchObject([{ Type: "AWS::Lambda::Permission" }]);
      expect(JSON.stringify(permissions![0]!.Properties.FunctionName)).toBe(called);
    }
  });

  test("gives a new version one call in ten for five minutes", () => {
    expect(JSON.stringify(alias)).toContain('"CodeDeployLambdaAliasUpdate"');
    const [[, group] = []] = resourcesOf(gradual, "AWS::CodeDeploy::DeploymentGroup");
    expect(group!.Properties.DeploymentConfigName).toBe(
      "CodeDeployDefault.LambdaCanary10Percent5Minutes",
    );
  });

  test("goes back by the alarms that forged callbacks cannot ring", () => {
    const [[, group] = []] = resourcesOf(gradual, "AWS::CodeDeploy::DeploymentGroup");
    const { AlarmConfiguration, AutoRollbackConfiguration } = group!.Properties;
    expect(
      AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => plainId(Name.Ref)),
    ).toEqual(["IntakeReceiveCallbackErrors", "IntakeNotStoredAlarm"]);
    expect(AutoRollbackConfiguration.Events).toContain("DEPLOYMENT_STOP_ON_ALARM");
  });

  test("changes no function and no alarm, so that it can be switched on and off", () => {
    const kept = Object.keys(usual.Resources).filter((id) => !(id in gradual.Resources));
    expect(kept.map(plainId).filter((id) => !id.includes("Permission"))).toEqual([]);
    for (const id of functionIds) expect(gradual.Resources[id]).toEqual(usual.Resources[id]);
  });

  test("is not what happens by default", () => {
    expect(resourcesOf(usual, "AWS::Lambda::Alias")).toEqual([]);
    expect(resourcesOf(usual, "AWS::CodeDeploy::DeploymentGroup")).toEqual([]);
  });
});
