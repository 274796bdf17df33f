import { join } from "node:path";
import * as z from "zod";
import { encodePathPart } from "../console/path-part.ts";
import { parseJson } from "../shared/parse-json.ts";
import type { PlacedOrder, StorefrontOrder } from "../simulator/pages/merchant-system.ts";
import type { SimulatorOptions } from "../simulator/start-simulator.ts";
import type { LocalOptions } from "./local-options.ts";

/** Longer than the API waits for the payment service. */
const longestMilliseconds = 30_000;

const createdSchema = z.object({ paymentId: z.string() });
const problemSchema = z.object({
  title: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ detail: z.string() })).optional(),
  service: z.object({ code: z.string(), msg: z.string() }).optional(),
});

/** What the simulator must know because Paycast runs beside it. `running` gives undefined until the stack runs. */
export function besideSimulator(
  { directory, keepData }: LocalOptions,
  running: () => { readonly api: string; readonly console: string } | undefined,
): Partial<SimulatorOptions> {
  // Without the token: anyone may open the simulator's pages. A browser that was let in has it as a cookie.
  const console = () => {
    const address = running()?.console;
    return address && new URL(address).origin;
  };
  return {
    merchantSystem: {
      name: "Paycast",
      placeOrder: (order) => placeOrder(running()?.api, order),
      homeUrl: console,
      orderUrl: (merchantId, orderNo) => orderUrl(console(), merchantId, orderNo),
    },
    // Overdue callbacks of kept orders would find nobody: the stack starts after the simulator.
    holdsClock: true,
    ordersFile: keepData ? join(directory, "data", "payment-service.json") : undefined,
  };
}

/** The order's page in the console. */
function orderUrl(
  console: string | undefined,
  merchantId: string,
  orderNo: string,
): string | undefined {
  if (console === undefined) return undefined;
  const query = new URLSearchParams({ merchant: merchantId });
  return `${console}/orders/${encodePathPart(orderNo)}?${query}`;
}

/** Makes an order as a storefront does. */
async function placeOrder(api: string | undefined, order: StorefrontOrder): Promise<PlacedOrder> {
  if (api === undefined) return { refused: "Paycast is still starting. Try again in a moment." };
  try {
    return readAnswer(await post(`${api}/orders`, order));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { refused: `Paycast did not answer: ${reason}` };
  }
}

async function post(url: string, order: StorefrontOrder): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(order),
    signal: AbortSignal.timeout(longestMilliseconds),
  });
  return parseJson(await response.text());
}

function readAnswer(body: unknown): PlacedOrder {
  const created = createdSchema.safeParse(body);
  if (created.success) return created.data;
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return { refused: "Paycast answered with something that is not an order." };
  const { title, detail, errors, service } = problem.data;
  const said = service === undefined ? [] : [`It said: ${service.code} ${service.msg}`];
  const reasons = errors?.map((fault) => fault.detail) ?? [detail ?? "", ...said];
  return { refused: [`${title}.`, ...reasons].join("\n") };
}
