import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { type AskedNow, askNow, askText } from "../../operations/calling/ask-now.ts";
import { choice, flag, text } from "../../operations/described/fields.ts";
import { searchKinds } from "../../operations/orders/find-anything.ts";
import { type LookedUp, lookUp } from "../../operations/orders/look-up.ts";
import type { Target } from "../../operations/ports/target.ts";
import { stackOption } from "../../operations/stack-option.ts";
import { print, type Terminal } from "../frame/command.ts";
import { exitCodes } from "../frame/exit-codes.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTarget, withTargetToChange } from "../frame/target-command.ts";
import { createProgress } from "../frame/terminal.ts";
import { lookedUpText } from "./order-text.ts";

/** `npx paycast order NUMBER`: everything that is stored of an order, in the order of time. */
export const order = ownCommand(
  {
    name: "order",
    about: [
      "Shows an order as the storefront sees it, and its timeline: creation attempts, callbacks and responses of the payment service, events with their subscribers, refunds, and quarantined callbacks.",
      "NUMBER is an order number, a payment id, a callback id (a GUID, or the hash of an id in the log) or a transaction. For a callback it also shows the record, the content, and each request that brought it.",
    ],
    examples: [
      "order ORDER-1001",
      "order ORDER-1001 --stack Paycast --payload",
      "order 3F2504E0-4F89-11D3-9A0C-0305E82C3301 --stack Paycast",
      "order ORDER-1001 --stack Paycast --ask",
      "order ORDER-1001 --json | jq '.entries[] | select(.quarantined)'",
    ],
  },
  {
    summary: "Start here when someone asks about an order.",
    input: z.object({
      number: z.string().min(1).max(256).meta({
        description: "the number of an order, or the id of a payment, a callback or a transaction",
        placeholder: "NUMBER",
      }),
      as: choice("what the number is, if it matches several things", searchKinds),
      merchant: text("the merchant, if several have an order with this number", "ID"),
      payload: flag("also show the exact content that the service sent"),
      ask: flag(
        "let Paycast query the payment service about the order now, and wait for the result",
      ),
    }),
    words: ["number"],
    run: async ({ number, as, merchant, payload, ask }, frame, terminal) => {
      const look = (target: Target) =>
        lookUp(target, number, { as, merchant, stopped: terminal.stopped });
      const tell = (target: Target, answer: LookedUp, asked?: AskedNow) => {
        const { hit, timeline, receipts, callback } = answer;
        const shown = { ...(asked && { asked }), found: hit, ...timeline, receipts, callback };
        const options = {
          colours: terminal.colours,
          now: target.clock.now(),
          withPayload: payload,
        };
        const stack = stackOption(target.stack);
        const head = asked === undefined ? "" : `${askText(asked, stack)}\n\n`;
        print(
          terminal,
          frame,
          shown,
          () => `${head}${lookedUpText(answer, { ...options, stack })}`,
        );
        return asked === undefined || isGood(asked) ? exitCodes.success : exitCodes.negative;
      };
      if (!ask) return await withTarget(frame, async (target) => tell(target, await look(target)));
      return await withTargetToChange(frame, terminal, async (target) => {
        const asked = await askAbout(target, await look(target), terminal);
        return tell(target, await look(target), asked);
      });
    },
  },
);

/** With progress on the terminal. Throws `nothing-stored` for a number that leads to no order. */
async function askAbout(
  target: Target,
  { timeline }: LookedUp,
  terminal: Terminal,
): Promise<AskedNow> {
  if (timeline === undefined) throw new PaycastError("nothing-stored", noOrder);
  const progress = createProgress(terminal);
  const work = { stopped: terminal.stopped, tell: progress.tell };
  return await askNow(target, timeline, work).finally(progress.end);
}

const noOrder = "It belongs to no order, so there is nothing to query.";

function isGood({ end }: AskedNow): boolean {
  return end === "news" || end === "confirmed";
}
