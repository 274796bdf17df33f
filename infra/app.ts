import { PaycastError } from "../shared/errors/paycast-error.ts";
import type { ConfigSurroundings } from "./config/config-schema.ts";
import { nameStack } from "./config/environment-config.ts";
import { loadDeployment } from "./config/load-config.ts";
import { createApp, synthesize } from "./synthesize.ts";

/**
 * The app that `cdk synth` and `cdk deploy` run. `-c config=path` or PAYCAST_CONFIG names another config file, `-c
 * stackName=name` the stack, if the config file does not.
 */
async function main(): Promise<void> {
  const app = createApp();
  const context = (key: string): string | undefined => app.node.tryGetContext(key);
  const path = context("config") ?? process.env["PAYCAST_CONFIG"];
  const loaded = loadDeployment(path, deploymentPlace());
  const { config, environment } = nameStack(loaded, context("stackName"));
  await synthesize(app, config, { environment });
}

/** Without credentials the CDK command invents a region, so it is used only with an account. */
function deploymentPlace(): ConfigSurroundings {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return account ? { account, region } : {};
}

try {
  await main();
} catch (error) {
  if (!(error instanceof PaycastError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
