import { join } from "node:path";
import { encodePathPart } from "../console/path-part.ts";
import type { SimulatorOptions } from "../simulator/start-simulator.ts";
import type { LocalOptions } from "./local-options.ts";

/** What the simulator must know because Paycast runs beside it. `running` gives undefined until the stack runs. */
export function besideSimulator(
  { directory, keepData }: LocalOptions,
  running: () => { readonly console: string } | undefined,
): Partial<SimulatorOptions> {
  return {
    orderPage: (merchantId, orderNo) => {
      const console = running()?.console;
      if (console === undefined) return undefined;
      const path = `/orders/${encodePathPart(orderNo)}?${new URLSearchParams({ merchant: merchantId })}`;
      // Without the token: anyone may open a checkout. A browser that was let in has it as a cookie.
      return { address: new URL(console).origin + path, text: "See the order in Paycast" };
    },
    // Overdue callbacks of kept orders would find nobody: the stack starts after the simulator.
    holdsClock: true,
    ordersFile: keepData ? join(directory, "data", "payment-service.json") : undefined,
  };
}
