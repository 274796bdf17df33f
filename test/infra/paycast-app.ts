import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type App, Duration, Stack, type StackProps } from "aws-cdk-lib";
import {
  Code,
  type FunctionProps,
  Function as LambdaFunction,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { Paycast } from "../../infra/paycast.ts";
import { createApp } from "../../infra/synthesize.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { inWords, type StackTemplate, stub } from "./stack-template.ts";

const folder = temporaryFolder("consumer");

export function newApp(): App {
  const outdir = mkdtempSync(join(folder, "out-"));
  return createApp({ outdir, builtinCloudFormationValidation: false });
}

const smallProps: PaycastProps = {
  merchants: ["M1"],
  subscribers: [
    { name: "ledger", types: ["*"] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
  operators: ["arn:aws:iam::123456789012:role/on-call"],
};

/** The construct in a stack of its own, with stub functions. */
export function newPaycast(
  app: App,
  props: Partial<PaycastProps> = {},
  stackProps: StackProps = {},
  stackName = "Payments",
): Paycast {
  const stack = new Stack(app, stackName, stackProps);
  return paycastIn(stack, props);
}

export function paycastIn(
  stack: Stack,
  props: Partial<PaycastProps> = {},
  id = "Paycast",
): Paycast {
  return new Paycast(stack, id, { ...smallProps, ...props }, (name) => stub(folder, name));
}

/** Props that may be made of other resources of the stack. */
export type PropsIn = (stack: Stack) => Partial<PaycastProps>;

export const place = { account: "123456789012", region: "eu-west-1" };

/** The template, in words, of a stack with the construct and whatever its props are made of. */
export function templateWith(propsIn: PropsIn): StackTemplate {
  const app = newApp();
  const stack = new Stack(app, "Payments", { env: place });
  paycastIn(stack, propsIn(stack));
  return inWords(app.synth().getStackByName("Payments").template);
}

/** A function of a team that reads a queue. */
export function newFunction(
  stack: Stack,
  props: Partial<FunctionProps> = {},
  id = "Book",
): LambdaFunction {
  return new LambdaFunction(stack, id, {
    code: Code.fromInline("exports.handler = () => {}"),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    timeout: Duration.seconds(30),
    ...props,
  });
}
