import { setTimeout as pause } from "node:timers/promises";
import { describeKeysProblem } from "../keys/keys-line.ts";
import { createRequestKeys } from "../keys/request-keys.ts";
import type { WriteLine } from "../telemetry/log-line.ts";
import { type CallGateway, createGateway, type GatewayDependencies } from "./call-gateway.ts";
import { createPoster } from "./post-json.ts";

/** The gateway that the functions use: keys from Secrets Manager, real connections, real time. */
export function createDefaultGateway(
  secretIds: Readonly<Record<string, string>>,
  now: () => number,
  log: WriteLine,
  options: Pick<GatewayDependencies, "callerCodes" | "mostAttempts">,
): CallGateway {
  return createGateway({
    keys: createRequestKeys(secretIds, now, (problem) =>
      log(...describeKeysProblem(problem, now())),
    ),
    post: createPoster(now),
    now,
    random: Math.random,
    pause: async (milliseconds) => {
      await pause(milliseconds);
    },
    ...options,
  });
}
