import { createPrivateKey, createSecretKey } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readProfile } from "../../../shared/envelope/profile.ts";
import type { SimulatorMerchant } from "../../../tools/simulator/merchants/merchant.ts";
import { orderResult } from "../../builders/callback.ts";
import { sealCallback } from "../../builders/seal-callback.ts";
import { createQueue } from "../../integration/aws-stores.ts";
import type { Call } from "../../integration/fault-proxy.ts";
import { startChild } from "../../setup/start-child.ts";
import { prepareStack, runStack, withoutSchedules } from "../stack.ts";
import { startStackProcess } from "../stack-process.ts";
import type { BareSettings } from "./bare.ts";
import { type Contender, drive, watchQueue } from "./drive.ts";

const merchantId = "LoadShop";
const subscriber = "team";

/** The stack and the bare calls, each in a process of its own, on the same emulators. */
export async function startContenders() {
  const subscribers = [{ name: subscriber, types: ["*"] }];
  const prepared = await prepareStack({ merchantIds: [merchantId], subscribers });
  const { aws, proxy, merchants } = prepared;
  const { emulators, directory } = prepared.settings;
  const bodyOf = sealerOf(merchants[0]);
  // The payment service is not queried.
  const settings = { ...prepared.settings, port: 0, simulator: emulators.sqs };

  const template = withoutSchedules(settings.template);
  const recorder = await runStack({ ...settings, template }, () => {});
  const { queues } = recorder.description;
  const teamUrl = queues.subscribers[subscriber]?.url ?? "";
  const arrivals = watchQueue(aws.sqs, teamUrl);
  const taking = (api: string, pid: number): Contender => {
    return { name: "the stack", url: `${api}/callbacks`, bodyOf, pid, arrivals };
  };
  const recording = taking(recorder.description.api, process.pid);
  // The first callback is there to warm the functions up.
  for (const seconds of [1, 1]) await drive(recording, 1, seconds);
  // The mark comes after the event, whose arrival ends a drive.
  while (proxy.calls.at(-1)?.operation !== "UpdateItem") await wait(50);
  const recorded = callsOfLast(proxy.calls);
  await recorder.stack.stop();

  const running = await startStackProcess({ ...settings, functionEndpoints: emulators });
  const inboxUrl = await createQueue(aws.sqs, "bare-inbox", true);
  const bareUrl = await createQueue(aws.sqs, "bare-team", true);
  const instead = { [queues.inbox]: inboxUrl, [teamUrl]: bareUrl };
  const bareSettings: BareSettings = {
    emulators,
    ...recorded,
    inboxUrl: queues.inbox,
    queues: instead,
    pollers: 5,
  };
  const script = new URL("bare.ts", import.meta.url);
  const bare = await startChild<string>(script, bareSettings, join(directory, "bare.log"));
  const bareContender: Contender = {
    name: "the bare calls",
    url: bare.answer,
    pid: bare.child.pid ?? 0,
    bodyOf: String,
    arrivals: watchQueue(aws.sqs, bareUrl),
  };
  return {
    stack: taking(running.description().api, running.pid()),
    bare: bareContender,
    stop: async () => {
      for (const stop of [running.stop, bare.kill, prepared.stop]) await stop();
    },
  };
}

/** Makes callbacks as the payment service would send them. */
function sealerOf(merchant: SimulatorMerchant | undefined): (orderNo: string) => string {
  if (merchant === undefined) throw new Error("There is no merchant.");
  const keys = {
    profile: readProfile({}),
    aesKey: createSecretKey(Buffer.from(merchant.aesKey, "base64")),
    privateKey: createPrivateKey(merchant.servicePrivateKey),
  };
  return (orderNo) => {
    const result = orderResult({ merchantId, referOrderNo: orderNo });
    const envelope = { id: crypto.randomUUID(), merchantId, eventName: "payment.order.success" };
    const callback = { ...envelope, result, nowMilliseconds: Date.now() };
    return JSON.stringify(sealCallback(callback, keys));
  };
}

/** The calls for the last callback: its functions were warm, and nothing else ran. */
function callsOfLast(
  calls: readonly Call[],
): Pick<BareSettings, "orderNo" | "received" | "processed"> {
  const own = calls.slice(calls.findLastIndex(({ operation }) => operation === "GetItem") - 1);
  const [orderNo] = /LOAD-\d+/.exec(JSON.stringify(own)) ?? [];
  const [received, ...processed] = own;
  if (orderNo === undefined || received?.operation !== "SendMessage") {
    throw new Error(`Not the calls of one callback: ${own.map(({ operation }) => operation)}.`);
  }
  return { orderNo, received: [received], processed };
}
