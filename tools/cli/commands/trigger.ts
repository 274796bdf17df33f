import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { eventTypes } from "../../../shared/facts/event-types.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import {
  onlyLocalEvents,
  type Triggered,
  triggerEvent,
} from "../../operations/calling/local-orders.ts";
import { text } from "../../operations/described/fields.ts";
import { pairs } from "../frame/columns.ts";
import { print } from "../frame/command.ts";
import { exitCodes } from "../frame/exit-codes.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTargetToChange } from "../frame/target-command.ts";
import { createProgress } from "../frame/terminal.ts";

/** `npx paycast trigger`: an event of the simulated payment service, on the local stack. */
export const trigger = ownCommand(
  {
    name: "trigger",
    about: [
      "Makes the payment service of the local stack send an event, so that you can watch your code handle it. It works on the local stack only.",
      `EVENT is one of: ${eventTypes.join(", ")}.`,
    ],
    examples: ["trigger payment.order.success", "trigger payment.refund.failed local-3f9a11c0"],
  },
  {
    summary:
      "Without ORDER_NO it creates a new order through Paycast's API. An ORDER_NO that does not exist is used for the new order. A payment is confirming first, and has its outcome moments later. For a refund the order is paid first. It needs no --yes: nothing outside this machine changes.",
    input: z.object({
      event: z.enum(eventTypes).meta({ description: "what to send", placeholder: "EVENT" }),
      orderNo: text("the order", "ORDER_NO"),
      merchant: text("the merchant of the order, by default the first one", "ID"),
    }),
    words: ["event", "orderNo"],
    run: async ({ event, orderNo, merchant: merchantId }, frame, terminal) => {
      const progress = createProgress(terminal);
      if (frame.stack !== undefined) throw new PaycastError("wrong-usage", onlyLocalEvents);
      // PAYCAST_STACK does not count here.
      const triggered = await withTargetToChange({ local: true }, terminal, (target) => {
        const work = { stopped: terminal.stopped, tell: progress.tell };
        return triggerEvent(target, { event, orderNo, merchantId }, work);
      })
        .catch(explainMissing)
        .finally(progress.end);
      print(terminal, frame, triggered, () => triggeredText(triggered));
      return exitCodes.success;
    },
  },
);

/** Naming a deployed stack, as the usual message proposes, would not help here. */
function explainMissing(error: unknown): never {
  const isMissing = error instanceof PaycastError && error.code === "target-not-found";
  if (!isMissing) throw error;
  const message = `${onlyLocalEvents} No local stack is running here: start it with npm start.`;
  throw new PaycastError("target-not-found", message, { cause: error });
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
