import { setTimeout as wait } from "node:timers/promises";
import { type Call, type Fault, to } from "../../integration/fault-proxy.ts";
import type { Broken } from "./disturbance.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Breaks something, repairs it, and returns a description. */
export type Disturb = (world: World, random: Random) => Promise<Broken>;

/** The throttling error of each AWS service. */
const slowDown = {
  sqs: { status: 400, type: "RequestThrottled" },
  dynamodb: { status: 400, type: "ProvisionedThroughputExceededException" },
  secretsmanager: { status: 400, type: "ThrottlingException" },
};
export const away: Fault = { kind: "refuse", error: { status: 503, type: "ServiceUnavailable" } };

/** An AWS service fails for some seconds. */
export function trouble(service: keyof typeof slowDown): Disturb {
  const faults: readonly (readonly [string, Fault])[] = [
    ["is away", away],
    ["throttles", { kind: "refuse", error: slowDown[service] }],
    ["does not respond", { kind: "stall" }],
    ["loses responses", { kind: "lose-answer" }],
    ["drops connections", { kind: "cut" }],
  ];
  return async ({ proxy }, random) => {
    const [what, fault] = random.pick(faults);
    const share = fault === away ? 1 : random.pick([0.1, 0.3, 0.7]);
    const isHit = to(service);
    const end = proxy.fail((call) => isHit(call) && random.chance(share), fault);
    await wait(random.between(1_000, 6_000));
    end();
    return { what: `${service} ${what} for ${share * 100} % of the calls`, service };
  };
}

/** An instance that starts then has no keys yet. */
export const startWithoutSecrets: Disturb = async ({ proxy, stack }, random) => {
  const functionName = random.pick(["process-callback", "receive-callback"]);
  const end = proxy.fail(to("secretsmanager"), away);
  stack.crash(functionName);
  await wait(random.between(2_000, 6_000));
  end();
  const service = "secretsmanager";
  return { what: `${service} is away while an instance of ${functionName} starts`, service };
};

/** DynamoDB also throttles by cancelling a transaction. */
export const cancelTransactions: Disturb = async ({ proxy }, random) => {
  const Code = random.pick(["ThrottlingError", "TransactionConflict"]);
  const fields = { CancellationReasons: [{ Code }, { Code: "None" }] };
  const error = { status: 400, type: "TransactionCanceledException", fields };
  const isHit = to("dynamodb", "TransactWriteItems");
  const share = random.pick([0.3, 0.7]);
  const end = proxy.fail((call) => isHit(call) && random.chance(share), { kind: "refuse", error });
  await wait(random.between(2_000, 6_000));
  end();
  const what = `dynamodb cancels ${share * 100} % of the transactions (${Code})`;
  return { what, service: "dynamodb" };
};

/** Calls during which an instance crashes. The response of the call never arrives. */
const steps = [
  { functionName: "process-callback", operation: "TransactWriteItems" },
  { functionName: "process-callback", operation: "SendMessage" },
  { functionName: "process-callback", operation: "UpdateItem" },
  { functionName: "create-order", operation: "TransactWriteItems" },
  // The claim of a query, and the note of its result.
  { functionName: "query-order", operation: "PutItem" },
  { functionName: "reconcile-orders", operation: "PutItem" },
] as const;

export const crashInstance: Disturb = async ({ proxy, stack }, random) => {
  const { functionName, operation } = random.pick(steps);
  const { inbox } = stack.description().queues;
  // Another function sends to the inbox.
  // "SendMessage" also stands for a batch of them.
  const isHit = (call: Call) =>
    call.operation.startsWith(operation) && call.input["QueueUrl"] !== inbox;
  const when = random.pick(["before", "after"]);
  const kind = when === "before" ? "stall" : "lose-answer";
  let end = () => {};
  const reached = new Promise<void>((after) => {
    end = proxy.fail(isHit, { kind, after }, { times: 1 });
  });
  await Promise.race([reached.then(() => stack.crash(functionName)), wait(5_000)]);
  end();
  // The pause in which SQS hides the message of an instance that ended.
  await wait(1_000);
  return { what: `an instance of ${functionName} ends ${when} ${operation}` };
};
