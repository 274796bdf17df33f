import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, inject } from "vitest";
import { createStackClock } from "../../../../tools/local/clock/stack-clock.ts";
import type { StackEvent } from "../../../../tools/local/stack/functions/stack-event.ts";
import {
  type RunningStack,
  type StackOptions,
  startStack,
} from "../../../../tools/local/stack/start-stack.ts";
import { randomName } from "../../../integration/aws-stores.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";

/** A folder of hand-written bundles, and stacks that run them on the emulators of the test run. */
export class StackFixture {
  readonly folder = temporaryFolder("stack");
  readonly events: StackEvent[] = [];
  readonly emulators = inject("emulators");
  /** The stacks of a file have a name of their own, and so have their queues, tables and secrets. */
  readonly stackName = randomName("Stack");
  /** Of the stack that was started last. */
  clock = createStackClock();
  private readonly running: RunningStack[] = [];

  write(assetName: string, code: string): void {
    mkdirSync(join(this.folder, assetName), { recursive: true });
    writeFileSync(join(this.folder, assetName, "index.mjs"), code);
  }

  async start(resources: object, more: Partial<StackOptions> = {}): Promise<RunningStack> {
    const stack = await this.startClosed(resources, more);
    stack.open();
    return stack;
  }

  /** Its HTTP API is not open yet. */
  async startClosed(resources: object, more: Partial<StackOptions> = {}): Promise<RunningStack> {
    this.clock = createStackClock();
    const stack = await startStack({
      emulators: this.emulators,
      stackName: this.stackName,
      port: 0,
      clock: this.clock,
      log: (event) => this.events.push(event),
      ...more,
      template: { Resources: this.withWholePaths(resources) },
    });
    this.running.push(stack);
    return stack;
  }

  /** Resources name a bundle as `write` does. A template of the CDK has the whole path. */
  private withWholePaths(resources: object): object {
    const key = "aws:asset:path";
    const whole = Object.entries(resources).map(([id, { Metadata, ...resource }]) => {
      const name = Metadata?.[key];
      const located =
        name === undefined ? Metadata : { ...Metadata, [key]: join(this.folder, name) };
      return [id, { ...resource, ...(located && { Metadata: located }) }];
    });
    return Object.fromEntries(whole);
  }

  /** Starts one function with this code and these resources beside it. */
  async startFunction(code: string, resources: object = {}, properties: object = {}) {
    this.write("fn", code);
    return await this.start({ Role: role, Fn: lambda("fn", properties), ...resources });
  }

  async stopStacks(): Promise<void> {
    await Promise.all(this.running.splice(0).map((stack) => stack.stop()));
    this.events.length = 0;
  }
}

/** Stacks end with their test. */
export function useStacks(): StackFixture {
  const fixture = new StackFixture();
  afterEach(() => fixture.stopStacks());
  return fixture;
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

/** An HTTP API with the function `Fn` behind all of these routes. */
export const httpApi = (
  routeKeys: string[],
  properties: object = {},
  integration: object = {},
) => ({
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
      IntegrationUri: { "Fn::GetAtt": ["Fn", "Arn"] },
      PayloadFormatVersion: "2.0",
      ...integration,
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
