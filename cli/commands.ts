import type { OperationGroup } from "../operations/described/description.ts";
import type { Command, KnownCommand } from "./frame/command.ts";

/** A command that is made from the description of its operations alone. */
async function fromGroup(load: () => Promise<OperationGroup>): Promise<Command> {
  const { commandOf } = await import("./frame/described-command.ts");
  return commandOf(await load());
}

/** Every command of `npx paycast`, in the order of its help. */
export const commands: readonly KnownCommand[] = [
  {
    name: "status",
    summary: "what happened in the last hour, what waits now and what is wrong, in few lines",
    load: () => fromGroup(async () => (await import("../operations/overview/status.ts")).status),
  },
  {
    name: "orders",
    summary: "the list of orders, newest first, by time, status, flag or part of a number",
    load: () => fromGroup(async () => (await import("../operations/orders/orders.ts")).orders),
  },
  {
    name: "order",
    summary: "an order's timeline: attempts, callbacks, events, refunds",
    load: async () => (await import("./commands/order.ts")).order,
  },
  {
    name: "callback",
    summary: "what became of a callback, by its id",
    load: async () => (await import("./commands/callback.ts")).callback,
  },
  {
    name: "requests",
    summary:
      "each call of POST /callbacks and of the storefront API, with its answer and the private reason",
    load: () =>
      fromGroup(async () => (await import("../operations/requests/requests.ts")).requests),
  },
  {
    name: "quarantine",
    summary: "list, show and redrive what could not be processed",
    load: () =>
      fromGroup(async () => (await import("../operations/quarantine/quarantine.ts")).quarantine),
  },
  {
    name: "dead-letters",
    summary: "list, show and redrive the events that a subscriber's consumer failed on",
    load: () =>
      fromGroup(
        async () => (await import("../operations/dead-letters/dead-letters.ts")).deadLetters,
      ),
  },
  {
    name: "replay",
    summary: "send recorded events to a subscriber again",
    load: () => fromGroup(async () => (await import("../operations/replay/replay.ts")).replay),
  },
  {
    name: "keys",
    summary: "check, set, rotate, revoke and restore a merchant's keys",
    load: () => fromGroup(async () => (await import("../operations/keys/keys.ts")).keys),
  },
  {
    name: "check",
    summary: "whether a deployment is sound: keys, queues, tables, functions, alarms, API, clocks",
    load: () => fromGroup(async () => (await import("../operations/check/check.ts")).check),
  },
  {
    name: "smoke",
    summary: "send one test callback through a running stack, and wait for its event",
    load: () => fromGroup(async () => (await import("../operations/smoke/smoke.ts")).smoke),
  },
  {
    name: "call",
    summary: "send one signed request of any operation to the payment service",
    load: () => fromGroup(async () => (await import("../operations/calling/call.ts")).call),
  },
  {
    name: "console",
    summary: "serve the page about a deployed stack, in a browser on this machine",
    load: async () => (await import("./commands/console.ts")).console,
  },
  {
    name: "env",
    summary: "exports for a shell, to reach the stack with any AWS tool",
    load: async () => (await import("./commands/env.ts")).env,
  },
  {
    name: "policy",
    summary: "the IAM policies of operators, with the ARNs of a deployed stack",
    load: async () => (await import("./commands/policy.ts")).policy,
  },
  {
    name: "kept",
    summary: "what a deleted stack left in the account, to import it into a new stack",
    load: async () => (await import("./commands/kept.ts")).kept,
  },
  {
    name: "trigger",
    summary: "make the local payment service send an event",
    load: async () => (await import("./commands/trigger.ts")).trigger,
  },
  {
    name: "tail",
    summary: "the events as they are published, without touching the queues",
    load: async () => (await import("./commands/tail.ts")).tail,
  },
  {
    name: "detect-profile",
    summary: "find the wire profile (cipher, signature, encodings) from one captured callback",
    load: async () => (await import("./commands/detect-profile.ts")).detectProfile,
  },
  {
    name: "completion",
    summary: "a script that lets bash, zsh or fish complete commands and options",
    load: async () => (await import("./commands/completion.ts")).completionOf(commands),
  },
];
