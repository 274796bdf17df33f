import * as z from "zod/mini";
import { subscriberSchema } from "../../shared/delivery/subscriber.ts";
import { gatewaySettingsSchema } from "../../shared/gateway/gateway-settings.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { integerVariable, jsonVariable } from "../../shared/read-environment.ts";
import type { TargetFunction } from "./target.ts";

const secretIds = jsonVariable(z.record(z.string(), z.string()));

/** The parts of the functions' environments that an operation needs. */
const settingsSchema = z.object({
  SUBSCRIBERS: jsonVariable(z.array(subscriberSchema)),
  CALLBACK_KEYS: secretIds,
  REQUEST_KEYS: z.optional(secretIds),
  GATEWAY: z.optional(jsonVariable(gatewaySettingsSchema)),
  PREVIOUS_KEYS_SECONDS: integerVariable,
});

export type FunctionSettings = z.output<typeof settingsSchema>;

/** What the functions run with. This is the truth, also if somebody changed the config after the deployment. */
export function readFunctionSettings(functions: readonly TargetFunction[]): FunctionSettings {
  const together = Object.assign({}, ...functions.map(({ environment }) => environment));
  const read = settingsSchema.safeParse(together);
  if (read.success) return read.data;
  const fields = read.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw new PaycastError(
    "target-incomplete",
    `The functions of the stack have an environment of another version (${fields}). Use the command of the version that is deployed.`,
  );
}
