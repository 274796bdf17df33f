import type { GatewaySettings } from "../../shared/gateway/gateway-settings.ts";
import type { Config } from "../config/config-schema.ts";

/** The variable of the functions that call the payment service. They would ignore a field that they do not know. */
export function gatewayVariable(gateway: NonNullable<Config["gateway"]>): string {
  const { baseUrl, pathPrefix, paths, callerCodes, shortOrderNumbers, exactSums } = gateway;
  const { create, query } = paths;
  const settings: GatewaySettings = {
    baseUrl,
    pathPrefix,
    paths: { create, query },
    shortOrderNumbers,
    exactSums,
    callerCodes,
  };
  return JSON.stringify(settings);
}
