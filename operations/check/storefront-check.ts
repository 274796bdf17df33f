import { readHour } from "../overview/read-flow.ts";
import { utcTime } from "../overview/refusing.ts";
import { storefrontWarnings } from "../overview/storefront-warnings.ts";
import { stackOption, type Target } from "../target/target.ts";
import { createMetrics } from "../telemetry/read-metrics.ts";
import { type Check, ok, problem } from "./finding.ts";

/** Whether the shop can sell: what the payment service answered in the last hour. A stack that only receives has none. */
export function storefrontCheck({ gateway }: Target): readonly Check[] {
  if (gateway === undefined) return [];
  return [
    {
      name: "storefront",
      run: async (target, { now }) => {
        const { counts, lastRefusal } = await readHour(target, createMetrics(target, now));
        const told = { isDeployed: true, nowMilliseconds: now(), timeText: utcTime };
        const warnings = storefrontWarnings(counts, lastRefusal, told);
        if (warnings.length > 0) {
          return warnings.map(({ message, isRed, look }) =>
            isRed && look
              ? problem(message, `npx paycast ${look.command}${stackOption(target)}`)
              : ok(message),
          );
        }
        const { ordersCreated, ordersRefused, ordersFailed, ordersUnknown } = counts;
        return [
          ok(
            `in the last hour ${ordersCreated.total} orders created, ${ordersRefused.total} refused, ${ordersFailed.total} failed, ${ordersUnknown.total} of them with unknown outcome`,
          ),
        ];
      },
    },
  ];
}
