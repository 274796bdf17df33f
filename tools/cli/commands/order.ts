import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { type AskedNow, askNow, askText } from "../../operations/calling/ask-now.ts";
import { choice, flag, text } from "../../operations/described/fields.ts";
import { searchKinds } from "../../operations/orders/find-anything.ts";
import { type LookedUp, lookUp } from "../../operations/orders/look-up.ts";
import { stackOption, type Target } from "../../operations/target/target.ts";
import { exitCodes, print, type Terminal } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTarget, withTargetToChange } from "../frame/target-command.ts";
import { createProgress } from "../frame/terminal.ts";
import { lookedUpText } from "./order-text.ts";

/** `npx paycast order NUMBER`: everything that is stored of an order, in the order of time. */
export const order = ownCommand(
  {
    name: "order",
    about: [
      "Shows an order as the storefront sees it, and its timeline: each attempt to create it, each callback and each answer of the payment service with its key version, fact and flags, each event with the subscribers it was sent to, the refunds of its payments, and what is quarantined of it.",
      "The order is found by its number, a payment id, a callback id (a GUID with or without dashes, or the hash of an id that is in the log) or a transaction. For a callback it also shows its record, what it said, and each request that brought it, with the answer.",
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
    summary: "It is the first thing to look at when somebody asks about an order.",
    promises: [
      "Order numbers, payments and callbacks have an index. If none of them is the text, the newest records are read for a transaction, a refund or an event: at most two days, 2,000 records and ten seconds. If it finds nothing, it says how far it looked. `--as transaction` looks for a transaction even if another thing has the same text.",
      "If the text stands for several things, it lists them with what chooses each: `--as`, `--merchant`, or the number of the order. The exit code is 2.",
      "`delivered` and a time say when SQS accepted the event for that subscriber, and how long after the others if it was later; `has 3 dead letters` that the event may be among those of the subscriber by now; `waiting since …, because …` that its queue refuses it, `given up at …` that Paycast does not try it any more, and `dismissed` that a person decided so.",
      'What the service said is indented, but not changed: `12.30` stays `12.30`. With `--json` it is `payload`: `{ "text": … }`, or `{ "base64": … }` if it is not text. If different content came under one callback id, all of it is shown.',
      "`--ask` moves the order's next check to now and waits up to two minutes until reconcile-orders, which runs once a minute, has asked the payment service. It prints what came of it, then the order. It changes nothing else of the order and nothing at the service, so it needs no `--yes`; it writes an audit line and needs the policy `act`. A paid order and an order without a payment id cannot be asked about. If no answer came, it says when Paycast asks again, if it does, and the exit code is 1: an end that the service confirmed before stays confirmed. A refund cannot be found this way.",
      "What it does not show: callbacks whose record has expired (`callbacks.recordExpiryDays`), callbacks that were refused, and quarantined callbacks that name no order; the latter are in `attention list`. A merchant whose wire profile does not sign the callback id has no ids that can be trusted, so they are not stored: look for the order.",
    ],
    input: z.object({
      number: z.string().min(1).max(256).meta({
        description: "the number of an order, or the id of a payment, a callback or a transaction",
        placeholder: "NUMBER",
      }),
      as: choice("what the number is, if it stands for several things", searchKinds),
      merchant: text("the merchant, if several have an order of this number", "ID"),
      payload: flag("also what the service said, word for word"),
      ask: flag("let Paycast ask the payment service about the order now, and wait for the answer"),
    }),
    words: ["number"],
    run: async ({ number, as, merchant, payload, ask }, frame, terminal) => {
      const look = (target: Target) =>
        lookUp(target, number, { as, merchant, stopped: terminal.stopped });
      const tell = (target: Target, answer: LookedUp, asked?: AskedNow) => {
        const { hit, timeline, receipts, callback } = answer;
        const shown = { ...(asked && { asked }), found: hit, ...timeline, receipts, callback };
        const options = { colours: terminal.colours, now: target.now(), withPayload: payload };
        const stack = stackOption(target);
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

const noOrder = "It belongs to no order, so there is nothing to ask about.";

function isGood({ end }: AskedNow): boolean {
  return end === "news" || end === "confirmed";
}
