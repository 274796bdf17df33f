import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";

export const region = "eu-west-1";

/** Loads a function as it ships, in an environment in which all services of AWS are at one address. */
export async function loadFunction(...named: Parameters<typeof prepareFunction>) {
  const load = await prepareFunction(...named);
  return await load();
}

/** Bundles it and sets the environment. What it returns imports the function. */
export async function prepareFunction(
  name: string,
  folder: string,
  endpoint: string,
  environment: Readonly<Record<string, string>>,
) {
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_ENDPOINT_URL: endpoint,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    METRICS_NAMESPACE: "Paycast",
    // Lambda sets it for each call.
    _X_AMZN_TRACE_ID: "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0",
    ...environment,
  });
  const entry = fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url));
  const { directory } = await bundle(name, entry, folder);
  return async () => {
    const { handler } = await import(pathToFileURL(join(directory, "index.mjs")).href);
    return handler;
  };
}

/** Measures a round of the way that each message of the parent process names. */
export function measureOnRequest(ways: ReadonlyMap<string, () => Promise<number>>): void {
  process.once("disconnect", () => process.exit());
  process.on("message", async (name: string) => process.send?.(await ways.get(name)?.()));
  process.send?.("ready");
}
