import { type Triggered, triggerEvent } from "../../operations/calling/trigger-event.ts";
import { type EventType, eventTypes } from "../../shared/facts/event-types.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { pairs } from "../frame/columns.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { createProgress } from "../frame/progress.ts";
import { print, targetHelp, targetOptions, withTargetToChange } from "../frame/target-command.ts";

/** `npx paycast trigger`: an event of the simulated payment service, on the local stack. */
export const trigger: Command = { help: helpText(), run };

const options = { ...targetOptions, merchant: { type: "string" } } as const;
async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["EVENT", "ORDER_NO?"]);
  const [name, orderNo] = words;
  const event = eventNamed(name);
  const progress = createProgress(terminal);
  const deps = { fetch, signal: terminal.stopped, onStage: progress.tell };
  // PAYCAST_STACK does not count here.
  const chosen = values.stack === undefined ? { local: true } : values;
  const triggered = await withTargetToChange(chosen, terminal, async (target) => {
    return await triggerEvent(target, { event, orderNo, merchantId: values.merchant }, deps);
  }).finally(progress.end);
  print(terminal, values, triggered, () => triggeredText(triggered));
  return exitCodes.success;
}

function eventNamed(name: string | undefined): EventType {
  const event = eventTypes.find((known) => known === name);
  if (event !== undefined) return event;
  throw new UsageError(`EVENT must be one of: ${eventTypes.join(", ")}.`);
}

function triggeredText({ event, orderNo, paymentId, merchantId, isNewOrder }: Triggered): string {
  const head = pairs([
    ["event", event],
    ["order", isNewOrder ? `${orderNo} (new)` : orderNo],
    ["payment", paymentId],
    ["merchant", merchantId],
  ]);
  return `${head}\nWatch it: npx paycast order ${shellWord(orderNo)}\n`;
}

function helpText(): string {
  return `Usage: npx paycast trigger EVENT [ORDER_NO] [--merchant ID] [--json]

Makes the payment service of the local stack send an event, so that you can watch your own code handle it.
Without ORDER_NO a new order is made through Paycast's API; an unknown ORDER_NO is made with that number.
A payment is confirming first and has its outcome moments later. For a refund the order is paid first.
It works on the local stack only, and changes nothing outside this machine.

EVENT: ${eventTypes.slice(0, 4).join(", ")},
       ${eventTypes.slice(4).join(", ")}

Options
  --merchant ID       the merchant of the order; the first one if left out
${targetHelp}

Examples
  npx paycast trigger payment.order.success
  npx paycast trigger payment.refund.failed local-3f9a11c0

${exitCodesText}
`;
}
