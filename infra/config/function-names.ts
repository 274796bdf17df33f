import type { Config } from "./config-schema.ts";

const callbackFunctions = ["receive-callback", "process-callback", "count-attention"] as const;
/** They call the payment service. */
const gatewayFunctions = ["create-order", "query-order", "reconcile-orders"] as const;

export const functionNames = [...callbackFunctions, ...gatewayFunctions] as const;

/** `functions/<name>.ts`, also the `service` dimension of the function's metrics. */
export type FunctionName = (typeof functionNames)[number];

export function callsService(name: FunctionName): boolean {
  return gatewayFunctions.some((caller) => caller === name);
}

/** The functions of a config. Without a payment service: only those for callbacks. */
export function functionsOf(config: Config): readonly FunctionName[] {
  return config.gateway === undefined ? callbackFunctions : functionNames;
}
