import type { OperationGroup } from "../operations/described/description.ts";
import type { Command, KnownCommand } from "./frame/command.ts";

/** A summary, and what loads the command, or the description from which it is made. */
type Row = readonly [summary: string, load: () => Promise<Command | OperationGroup>];

/** Every command of `npx paycast`, in the order of its help. */
const table: Readonly<Record<string, Row>> = {
  status: [
    "what happened in the last hour, what waits now, and the active alarms",
    async () => (await import("../operations/overview/status.ts")).status,
  ],
  orders: [
    "list orders, newest first, by time, status, flag or part of a number",
    async () => (await import("../operations/orders/orders.ts")).orders,
  ],
  order: [
    "the timeline of an order, found by its number, a payment, a callback or a transaction",
    async () => (await import("./commands/order.ts")).order,
  ],
  requests: [
    "the requests to Paycast, with their responses and the private reason",
    async () => (await import("../operations/requests/requests.ts")).requests,
  ],
  attention: [
    "list, show, redrive and dismiss items that need attention",
    async () => (await import("../operations/attention/attention.ts")).attention,
  ],
  "dead-letters": [
    "list, show and redrive the events that a subscriber's consumer failed on",
    async () => (await import("../operations/dead-letters/dead-letters.ts")).deadLetters,
  ],
  replay: [
    "send recorded events to a subscriber again",
    async () => (await import("../operations/replay/replay.ts")).replay,
  ],
  keys: [
    "check, set, restore and revoke a merchant's keys",
    async () => (await import("../operations/keys/keys.ts")).keys,
  ],
  check: [
    "check a deployment: keys, queues, functions, alarms, API, clocks",
    async () => (await import("../operations/check/check.ts")).check,
  ],
  smoke: [
    "send one test callback through a running stack, and wait for its event",
    async () => (await import("../operations/smoke/smoke.ts")).smoke,
  ],
  call: [
    "send one signed request to the payment service",
    async () => (await import("../operations/calling/call.ts")).call,
  ],
  console: [
    "serve the console of a deployed stack on this machine",
    async () => (await import("./commands/console.ts")).console,
  ],
  env: [
    "shell exports to use the stack with any AWS tool",
    async () => (await import("./commands/env.ts")).env,
  ],
  policy: [
    "the IAM policies for operators of a deployed stack",
    async () => (await import("./commands/policy.ts")).policy,
  ],
  trigger: [
    "make the local payment service send an event",
    async () => (await import("./commands/trigger.ts")).trigger,
  ],
  tail: [
    "follow the events as they are published, without touching the queues",
    async () => (await import("./commands/tail.ts")).tail,
  ],
  "detect-profile": [
    "find the wire profile (cipher, signature, encodings) from one captured callback",
    async () => (await import("./commands/detect-profile.ts")).detectProfile,
  ],
};

export const commands: readonly KnownCommand[] = Object.entries(table).map(
  ([name, [summary, load]]) => ({ name, summary, load: async () => await asCommand(await load()) }),
);

async function asCommand(loaded: Command | OperationGroup): Promise<Command> {
  if ("run" in loaded) return loaded;
  const { commandOf } = await import("./frame/described-command.ts");
  return commandOf(loaded);
}
