import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { parseConfig } from "../../../infra/config/config-schema.ts";
import { createAwsClients } from "../../../local/aws/aws-clients.ts";
import { startEmulators } from "../../../local/aws/start-emulators.ts";
import { synthesizeTemplate } from "../../../local/synthesize-template.ts";
import { orderResult, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { createQueue } from "../../integration/aws-stores.ts";
import { type Call, everywhere, startFaultProxy } from "../../integration/fault-proxy.ts";
import { startStackProcess } from "../chaos/stack-process.ts";
import type { BareSettings } from "./bare.ts";
import { type Contender, drive, watchQueue } from "./drive.ts";

const gateway = "https://payments.example.com";
const subscriber = "team";

/** The stack and the bare calls, each in a process of its own, on the same emulators. */
export async function startContenders() {
  const directory = mkdtempSync(join(tmpdir(), "paycast-load-"));
  const merchant = makeMerchant({ merchantId: "LoadShop" });
  const { merchantId } = merchant;
  const config = parseConfig({
    ...{ merchants: [merchantId], subscribers: [{ name: subscriber, types: ["*"] }] },
    ...{ gateway: { baseUrl: gateway }, storefront: { access: "open" } },
  });
  const synthesized = await synthesizeTemplate(config, directory);
  const emulators = await startEmulators();
  const aws = createAwsClients(emulators);
  const common = { emulators, gateway, simulator: emulators.sqs, merchantIds: [merchantId] };
  const settings = { ...synthesized, ...common, directory, port: 0 };
  const bodyOf = (orderNo: string) => {
    const result = orderResult({ merchantId, referOrderNo: orderNo });
    return JSON.stringify(sealedCallback(merchant, { result, nowMilliseconds: Date.now() }));
  };

  const proxy = await startFaultProxy(emulators, () => {});
  const functionEndpoints = everywhere(proxy.endpoint);
  const recorder = await startStackProcess({ ...settings, functionEndpoints });
  const { queues, merchants } = recorder.description();
  for (const { callbackKeys: SecretId } of merchants) {
    const SecretString = merchant.callbackSecret();
    await aws.secretsmanager.send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
  const subscriberUrl = queues.subscribers[subscriber]?.url ?? "";
  const arrivals = new Map<string, number>();
  void watchQueue(aws.sqs, subscriberUrl, arrivals).catch(() => {});
  const contender = (name: string, api: string, pid: number): Contender => {
    return { name, url: `${api}/callbacks`, bodyOf, pid, arrivals };
  };
  const recording = contender("the recorded stack", recorder.description().api, 0);
  await drive(recording, 1, 1);
  await drive(recording, 1, 1);
  // The mark comes after the event, whose arrival ends a drive.
  while (proxy.calls.at(-1)?.operation !== "UpdateItem") await wait(50);
  const recorded = callsOfLast(proxy.calls);
  await recorder.stop();

  const running = await startStackProcess({ ...settings, functionEndpoints: emulators });
  const inboxUrl = await createQueue(aws.sqs, "bare-inbox", true);
  const bareUrl = await createQueue(aws.sqs, "bare-team", true);
  const instead = { [queues.inbox]: inboxUrl, [subscriberUrl]: bareUrl };
  const bare = await startBare(directory, {
    ...{ emulators, ...recorded, inboxUrl: queues.inbox, queues: instead, pollers: 5 },
  });
  const bareArrivals = new Map<string, number>();
  void watchQueue(aws.sqs, bareUrl, bareArrivals).catch(() => {});
  return {
    stack: contender("the stack", running.description().api, running.pid()),
    bare: {
      ...{ name: "the bare calls", url: bare.endpoint, pid: bare.pid, arrivals: bareArrivals },
      bodyOf: (orderNo: string) => orderNo,
    } satisfies Contender,
    stop: async () => {
      await running.stop();
      bare.kill();
      await proxy.stop();
      aws.destroy();
      await emulators.stop();
      rmSync(directory, { recursive: true, force: true });
    },
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

async function startBare(directory: string, settings: BareSettings) {
  const file = join(directory, "bare.json");
  writeFileSync(file, JSON.stringify(settings));
  const script = fileURLToPath(new URL("bare.ts", import.meta.url));
  const child = fork(script, [file], { execArgv: ["--import", "tsx"] });
  const [endpoint] = await once(child, "message");
  return { endpoint: String(endpoint), pid: child.pid ?? 0, kill: () => child.kill("SIGKILL") };
}
