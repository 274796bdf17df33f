import { localClients } from "../../tools/operations/aws/aws-clients.ts";
import { openQueue } from "../../tools/operations/aws/open-queue.ts";
import type { LocalDescription } from "../../tools/operations/local-stack/local-description.ts";
import { until } from "../end-to-end/running-stack.ts";
import { startTestStack, type TestStack } from "../setup/start-stack.ts";
import { openConsole } from "../tools/console/open-console.ts";

/** The simulated clock only moves by jumps while the scene is played, so that everything happens in the same order in each scene. */
const clockSpeed = 0;

/**
 * The retries of an order's two callbacks come a minute and ten minutes after the first attempts, those of the success
 * two seconds after those of confirming. A jump that reached both would send both at once, and either could arrive first.
 */
const confirmingSeconds = 5;
const restOfMinuteSeconds = 55;
const minutes = 56;

/** What the pictures of the documents show: the sample config after a morning of tea sales. */
export async function playScene(): Promise<TestStack> {
  const stack = await startTestStack({ clockSpeed });
  try {
    await play(stack.description);
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** A good hour: an order in each minute, so that the few rejected callbacks are no reason for an alarm. */
async function play(description: LocalDescription): Promise<void> {
  await letTeamsRead(description);
  await fault(description, "wrong-key", "TEA-1040", { attempts: 2 });
  for (let minute = 0; minute < minutes; minute++) {
    const paymentId = await pay(description, `TEA-${1001 + minute}`);
    if (minute === 33 || minute === 54) await refund(description, paymentId);
    await step(description, restOfMinuteSeconds);
  }
  await create(description, `TEA-${1001 + minutes}`);
  await fetch(`${description.gateway}/control/faults`, { method: "DELETE" });
  await post(`${description.gateway}/control/clock`, { speed: 1 });
}

/** Otherwise an alarm for each queue would ring after 15 minutes. */
async function letTeamsRead({ console, queues }: LocalDescription): Promise<void> {
  const { send } = await openConsole(console);
  for (const subscriber of Object.keys(queues.subscribers)) {
    await send("/api/lab/consumers", { subscriber, mode: "reads" });
  }
}

async function pay(description: LocalDescription, orderNo: string): Promise<string> {
  const paymentId = await create(description, orderNo);
  await post(`${description.gateway}/control/orders/${paymentId}/pay`, {});
  await settle(description);
  await step(description, confirmingSeconds);
  return paymentId;
}

async function refund({ gateway }: LocalDescription, paymentId: string): Promise<void> {
  await post(`${gateway}/control/orders/${paymentId}/refund`, { amount: "4.10" });
}

async function step(description: LocalDescription, jumpSeconds: number): Promise<void> {
  await post(`${description.gateway}/control/clock`, { jumpSeconds });
  await settle(description);
}

async function create({ api }: LocalDescription, orderNo: string): Promise<string> {
  const goods = { referenceGoodsId: "tea", goodsName: "Green tea", goodsAmount: "4.10" };
  const created = await post(`${api}/orders`, {
    channel: "WEB",
    currency: "USD",
    paymentAmount: "12.30",
    order: { orderNo, orderAmount: "12.30", goods: [{ ...goods, goodsQuantity: 3 }] },
  });
  return created.paymentId;
}

async function fault(
  { gateway }: LocalDescription,
  kind: string,
  orderNo: string,
  fields: object = {},
): Promise<void> {
  await post(`${gateway}/control/faults`, { kind, orderNo, ...fields });
}

/** Waits until the service has sent everything that is due, and Paycast has processed it. */
async function settle({ gateway, queues, aws, region }: LocalDescription): Promise<void> {
  await fetch(`${gateway}/control/settled?timeoutSeconds=60`);
  const clients = localClients({ region, ...aws });
  const isProcessed = async () => {
    const { waiting, inFlight } = await openQueue(clients.sqs, queues.inbox).count();
    return waiting + inFlight === 0 ? true : undefined;
  };
  await until("the inbox to be empty", isProcessed).finally(() => clients.destroy());
}

// biome-ignore lint/suspicious/noExplicitAny: the scene reads what it made.
async function post(url: string, body: object): Promise<any> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
