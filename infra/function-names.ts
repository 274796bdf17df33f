import type { Config } from "./config.ts";

const callbackFunctions = ["receive-callback", "process-callback"] as const;
const storefrontFunctions = ["create-order", "query-order"] as const;

export const functionNames = [...callbackFunctions, ...storefrontFunctions] as const;

/** `functions/<name>.ts`, also the `service` dimension of the function's metrics. */
export type FunctionName = (typeof functionNames)[number];

/** The functions that a config asks for: without a payment service to call there is no storefront. */
export function functionsOf(config: Config): readonly FunctionName[] {
  return config.gateway === undefined ? callbackFunctions : functionNames;
}
