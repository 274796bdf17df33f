import * as z from "zod";
import { findCallback } from "../../operations/timeline/receipt-entry.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { exitCodes, print } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { receiptText } from "../frame/receipt-text.ts";
import { withTarget } from "../frame/target-command.ts";

/** `npx paycast callback ID`: what became of one callback. */
export const callback = ownCommand(
  {
    name: "callback",
    about: [
      "Shows what became of a callback, by its id as the payment service writes it, with or without dashes: when it came, which key version opened it, which fact it states, which event it led to and who got it, and what it said.",
    ],
    examples: [
      "callback 3F2504E0-4F89-11D3-9A0C-0305E82C3301",
      "callback 3f2504e04f8911d39a0c0305e82c3301 --stack Paycast --json",
    ],
  },
  {
    summary: "If different content came under one id, all of it is shown.",
    promises: [
      'What the service said is indented, but not changed: `12.30` stays `12.30`. With `--json` it is `payload`: `{ "text": … }`, or `{ "base64": … }` if it is not text.',
      "A merchant whose wire profile does not sign the id has no ids that can be trusted, so they are not stored: look for the order instead.",
    ],
    input: z.object({ id: z.string().meta({ description: "the id", placeholder: "ID" }) }),
    words: ["id"],
    run: async ({ id }, frame, terminal) => {
      const entries = await withTarget(frame, (target) => findCallback(target, id));
      print(terminal, frame, entries, () => {
        const texts = entries.map((entry) => receiptText(entry, terminal.colours, true));
        const orderNo = entries.find((entry) => entry.orderNo !== undefined)?.orderNo;
        const hint =
          orderNo === undefined ? "" : `\nIts order: npx paycast order ${shellWord(orderNo)}\n`;
        return `${texts.join("\n")}${hint}`;
      });
      return exitCodes.success;
    },
  },
);
