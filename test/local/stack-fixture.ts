import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulators } from "../../local/aws/start-emulators.ts";
import type { StackEvent } from "../../local/stack/functions/stack-event.ts";
import { type RunningStack, type StackOptions, startStack } from "../../local/stack/start-stack.ts";

/** A folder of hand-written bundles, and stacks that run them. */
export class StackFixture {
  readonly folder = mkdtempSync(join(tmpdir(), "paycast-stack-"));
  readonly events: StackEvent[] = [];
  private readonly running: RunningStack[] = [];

  write(assetName: string, code: string): void {
    mkdirSync(join(this.folder, assetName), { recursive: true });
    writeFileSync(join(this.folder, assetName, "index.mjs"), code);
  }

  async start(
    emulators: Emulators,
    resources: object,
    more: Partial<StackOptions> & { template?: object } = {},
  ): Promise<RunningStack> {
    const stack = await startStack({
      assetDirectory: this.folder,
      emulators,
      port: 0,
      log: (event) => this.events.push(event),
      ...more,
      template: { Resources: resources, ...more.template },
    });
    this.running.push(stack);
    return stack;
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((stack) => stack.stop()));
    rmSync(this.folder, { recursive: true });
  }
}

export const lambda = (assetName: string, properties: object = {}) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Code: { S3Bucket: { "Fn::Sub": "assets" }, S3Key: `${assetName}.zip` },
    Handler: "index.handler",
    Runtime: "nodejs24.x",
    Role: { "Fn::GetAtt": ["Role", "Arn"] },
    ...properties,
  },
  Metadata: { "aws:asset:path": assetName, "aws:cdk:path": `Shop/${assetName}/Resource` },
});

export const role = { Type: "AWS::IAM::Role", Properties: { AssumeRolePolicyDocument: {} } };

/** An HTTP API with one function behind all of these routes. */
export const httpApi = (functionId: string, routeKeys: string[], properties: object = {}) => ({
  Api: {
    Type: "AWS::ApiGatewayV2::Api",
    Properties: { Name: "shop", ProtocolType: "HTTP", ...properties },
  },
  Stage: {
    Type: "AWS::ApiGatewayV2::Stage",
    Properties: { ApiId: { Ref: "Api" }, StageName: "$default", AutoDeploy: true },
  },
  Integration: {
    Type: "AWS::ApiGatewayV2::Integration",
    Properties: {
      ApiId: { Ref: "Api" },
      IntegrationType: "AWS_PROXY",
      IntegrationUri: { "Fn::GetAtt": [functionId, "Arn"] },
      PayloadFormatVersion: "2.0",
    },
  },
  ...Object.fromEntries(
    routeKeys.map((RouteKey, index) => [
      `Route${index}`,
      {
        Type: "AWS::ApiGatewayV2::Route",
        Properties: {
          ApiId: { Ref: "Api" },
          RouteKey,
          Target: { "Fn::Join": ["", ["integrations/", { Ref: "Integration" }]] },
          AuthorizationType: "AWS_IAM",
        },
      },
    ]),
  ),
});
