import * as z from "zod";
import { listedSubscriberSchema } from "../../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { gatewaySettingsSchema } from "../../../shared/gateway/gateway-settings.ts";
import { integerVariable, jsonVariable } from "../../../shared/read-environment.ts";
import type { StackFunction } from "../ports/functions.ts";

const secretIds = jsonVariable(z.record(z.string(), z.string()));

/** The parts of the functions' environments that an operation needs. */
const settingsSchema = z.object({
  SUBSCRIBERS: jsonVariable(z.array(listedSubscriberSchema)),
  CALLBACK_KEYS: secretIds,
  STAMP_KEY: z.string(),
  REQUEST_KEYS: z.optional(secretIds),
  GATEWAY: z.optional(jsonVariable(gatewaySettingsSchema)),
  PREVIOUS_KEYS_SECONDS: integerVariable,
});

export type FunctionSettings = z.output<typeof settingsSchema>;

/** What the functions run with. It is correct even if the config was changed after the deployment. */
export function readFunctionSettings(functions: readonly StackFunction[]): FunctionSettings {
  const together = Object.assign({}, ...functions.map(({ environment }) => environment));
  const read = settingsSchema.safeParse(together);
  if (read.success) return read.data;
  const fields = read.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw new PaycastError(
    "target-incomplete",
    `The functions of the stack have an environment of another version (${fields}). Use the command of the deployed version.`,
  );
}
