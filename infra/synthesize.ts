import { Annotations, App, type AppProps } from "aws-cdk-lib";
import recommendedFlags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import { PaycastError } from "../shared/errors/paycast-error.ts";
import type { Config } from "./config/config-schema.ts";
import type { Environment } from "./config/environment-config.ts";
import { type FunctionName, functionsOf } from "./config/function-names.ts";
import { bundleFunctions } from "./lambda/bundle.ts";
import type { CodeOf } from "./lambda/paycast-function.ts";
import { PaycastStack } from "./paycast-stack.ts";

/**
 * The CDK app, with the same settings for the `cdk` command, the local stack and the tests. The template has only the
 * stack's own resources, and each function in it names the folder of its bundle.
 */
export function createApp(props: AppProps = {}): App {
  return new App({
    autoSynth: false,
    analyticsReporting: false,
    stackTraces: false,
    ...props,
    context: {
      // The flags of a new CDK project. They make a template that CloudFormation would reject an error.
      ...recommendedFlags,
      "aws:cdk:enable-asset-metadata": true,
      "aws:cdk:enable-path-metadata": true,
      ...props.context,
    },
  });
}

/**
 * Bundles the functions that a config needs and writes the stack's template into the app's output folder. Warnings are
 * for the deployer; `isQuiet` omits them.
 */
export async function synthesize(
  app: App,
  config: Config,
  { environment, isQuiet = false }: { environment?: Environment; isQuiet?: boolean } = {},
) {
  const codeOf = await bundledCode(functionsOf(config));
  const name = environment?.name ?? "Paycast";
  const stack = new PaycastStack(app, name, { config, codeOf, environment });
  const acknowledged = isQuiet ? ["paycast:noOperators", "paycast:alarmsUnheard"] : [];
  for (const id of acknowledged) Annotations.of(stack).acknowledgeWarning(id);
  return app.synth();
}

async function bundledCode(names: readonly FunctionName[]): Promise<CodeOf> {
  const bundles = await bundleFunctions(names);
  return (name) => {
    const bundle = bundles.find((candidate) => candidate.name === name);
    if (!bundle) throw new PaycastError("bundle-failed", `${name} was not bundled`);
    return bundle.directory;
  };
}
