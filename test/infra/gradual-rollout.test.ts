import { describe, expect, test } from "vitest";
import { inWords, propertiesOf, stackInWords, synthesizeTemplate } from "./stack-template.ts";

const usual = stackInWords();
// With the library's own validation of templates.
const gradual = inWords(synthesizeTemplate({ rollout: "gradual" }, {}));
const alias = "IntakeReceiveCallbackFunctionAliaslive";

describe("a gradual rollout", () => {
  test("leads callbacks to the alias of receive-callback, which API Gateway may call, and no other route", () => {
    const integrations = Object.entries(
      propertiesOf(gradual, "AWS::ApiGatewayV2::Integration"),
    ).filter(([, { IntegrationUri }]) => IntegrationUri === alias);
    const ids = integrations.map(([id]) => id);
    expect(ids).toEqual(["HttpApiPOSTcallbacksReceiveCallbackIntegration"]);
    const permissions = Object.values(propertiesOf(gradual, "AWS::Lambda::Permission"));
    expect(permissions.map(({ FunctionName }) => FunctionName)).toContain(alias);
  });

  test.each([
    ["gradual", gradual],
    ["at once", usual],
  ])("changes no route's target before API Gateway may call it: %s", (_case, template) => {
    const integrations = propertiesOf(template, "AWS::ApiGatewayV2::Integration");
    for (const [id, { IntegrationUri }] of Object.entries(integrations)) {
      const before = template.Resources[id]!.DependsOn?.map((name) => template.Resources[name]);
      const permission = { Type: "AWS::Lambda::Permission" };
      expect(before, id).toMatchObject([
        { ...permission, Properties: { FunctionName: IntegrationUri } },
      ]);
    }
  });

  test("gives a new version one call in ten for five minutes, and goes back by the alarms that forged callbacks cannot ring", () => {
    expect(JSON.stringify(gradual.Resources[alias])).toContain('"CodeDeployLambdaAliasUpdate"');
    const alarms = ["IntakeRolloutErrors", "IntakeRolloutNotStored"];
    expect(Object.values(propertiesOf(gradual, "AWS::CodeDeploy::DeploymentGroup"))).toMatchObject([
      {
        DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes",
        AlarmConfiguration: { Alarms: alarms.map((Name) => ({ Name })) },
        AutoRollbackConfiguration: {
          Events: expect.arrayContaining(["DEPLOYMENT_STOP_ON_ALARM"]),
        },
      },
    ]);
  });

  test("has alarms of its own that nobody hears: other alarms ring for a person", () => {
    const alarms = propertiesOf(gradual, "AWS::CloudWatch::Alarm");
    const own = Object.keys(alarms).filter((id) => id.includes("Rollout"));
    expect(own).toHaveLength(2);
    for (const id of own) {
      expect(alarms[id]).not.toHaveProperty("AlarmActions");
      expect(alarms[id]).not.toHaveProperty("OKActions");
      expect(alarms[id].AlarmDescription).toContain("Notifies nobody.");
    }
    expect(Object.keys(propertiesOf(usual, "AWS::CloudWatch::Alarm")).join()).not.toContain(
      "Rollout",
    );
  });

  test("is off by default, and takes no function and no alarm away when it is switched on", () => {
    expect(JSON.stringify(usual)).not.toMatch(/::CodeDeploy::|::Lambda::Alias/);
    const gone = Object.keys(usual.Resources).filter((id) => !(id in gradual.Resources));
    expect(gone.filter((id) => !id.includes("Permission"))).toEqual([]);
    expect(propertiesOf(gradual, "AWS::Lambda::Function")).toEqual(
      propertiesOf(usual, "AWS::Lambda::Function"),
    );
  });
});
