import { readQueueNumbers } from "../../tools/operations/overview/read-queues.ts";
import { localClients } from "../../tools/operations/target/aws-clients.ts";
import type { LocalDescription } from "../../tools/operations/target/local-target.ts";
import { until } from "../end-to-end/running-stack.ts";
import { startTestStack, type TestStack } from "../setup/start-stack.ts";
import { openConsole } from "../tools/console/open-console.ts";

/** The simulated clock only moves by steps while the scene is played, so that everything happens in the same order in each scene. */
const clockSpeed = 0;
const confirmingSeconds = 5;
const retrySeconds = 300;
/**
 * After `pay`, the retries of the two callbacks of an order come after a minute and after ten, that of the success two seconds
 * later. Steps that reach both would send both at once, and either could arrive first.
 */
const orderRetrySteps = [56, 2, 538, 2];

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

async function play(description: LocalDescription): Promise<void> {
  await letTeamsRead(description);
  for (let number = 1001; number <= 1008; number++) await pay(description, `TEA-${number}`);
  await fault(description, "unknown-event", "TEA-1009");
  await pay(description, "TEA-1009");
  await fault(description, "wrong-key", "TEA-1010", { attempts: 2 });
  const paymentId = await pay(description, "TEA-1010");
  for (const seconds of orderRetrySteps) await step(description, seconds);
  await post(`${description.gateway}/control/orders/${paymentId}/refund`, { amount: "4.10" });
  for (let retry = 0; retry < 3; retry++) await step(description, retrySeconds);
  await create(description, "TEA-1011");
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
    const { waiting, inFlight, problem } = await readQueueNumbers({ clients }, queues.inbox);
    return problem === undefined && waiting + inFlight === 0 ? true : undefined;
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
