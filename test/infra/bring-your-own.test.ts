import { describe, expect, test } from "vitest";
import { type FunctionName, functionNames } from "../../infra/config/function-names.ts";
import {
  functionNamed,
  permissionsOf,
  plainId,
  resourceNamed,
  resourcesOf,
  synthesizeTemplate,
} from "./stack-template.ts";

const egress = {
  subnetIds: ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"],
  securityGroupIds: ["sg-0a1b2c3d4e5f60718"],
};
const template = synthesizeTemplate({
  egress,
  logRetentionDays: 14,
  callbacks: { sourceAddresses: ["203.0.113.0/24"] },
});

const callers: readonly FunctionName[] = ["create-order", "query-order", "reconcile-orders"];
const others = functionNames.filter((name) => !callers.includes(name));

describe("a fixed address towards the payment service", () => {
  test.each(callers)("leads %s through the network", (name) => {
    expect(functionNamed(template, name).Properties.VpcConfig).toEqual({
      SubnetIds: egress.subnetIds,
      SecurityGroupIds: egress.securityGroupIds,
    });
    const network = permissionsOf(template, name).filter((line) => line.includes(" ec2:"));
    expect(network).toContain("Allow ec2:CreateNetworkInterface *");
    // What Lambda may do with the role, the function's own code may not.
    const allowed = network.filter((line) => line.startsWith("Allow"));
    expect(network.filter((line) => line.startsWith("Deny"))).toEqual(
      allowed.map((line) => line.replace("Allow", "Deny")),
    );
  });

  test("denies these actions only to the code of functions, not to Lambda", () => {
    const role = JSON.stringify(resourceNamed(template, "StorefrontCreateOrderRole"));
    expect(role).toMatch(/"Condition":\{"ArnLike":\{"lambda:SourceFunctionArn":.*function:\*/);
  });

  test.each(others)("leaves %s outside", (name) => {
    expect(functionNamed(template, name).Properties).not.toHaveProperty("VpcConfig");
    expect(permissionsOf(template, name).join("\n")).not.toContain("ec2:");
  });
});

describe("the logs of the functions and of the API", () => {
  const retention = (of: typeof template) =>
    resourcesOf(of, "AWS::Logs::LogGroup").map(([id, { Properties }]) => [
      plainId(id).replace(/.*(Logs|AccessLog)$/, "$1"),
      Properties.RetentionInDays,
    ]);

  test("are kept as long as the config says, and the audit log for ten years", () => {
    const logs = [["AccessLog", 14], ["AuditLog", 3653], ...functionNames.map(() => ["Logs", 14])];
    expect(retention(template).sort()).toEqual(logs);
    expect(retention(synthesizeTemplate())).toContainEqual(["Logs", 90]);
  });
});

describe("the addresses of the payment service", () => {
  const ids = Object.keys(template.Resources).map(plainId);

  test("are known to receive-callback alone, and have an alarm", () => {
    const listed = functionNames.filter(
      (name) => functionNamed(template, name).Properties.Environment.Variables.ALLOWED_SOURCES,
    );
    expect(listed).toEqual(["receive-callback"]);
    expect(ids).toContain("IntakeSourcesAlarm");
  });

  test("are not asked for by default", () => {
    const usual = synthesizeTemplate();
    expect(JSON.stringify(usual)).not.toContain("ALLOWED_SOURCES");
    expect(Object.keys(usual.Resources).map(plainId)).not.toContain("IntakeSourcesAlarm");
  });
});
