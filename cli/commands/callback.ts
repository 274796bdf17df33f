import { findCallback } from "../../operations/timeline/find-callback.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { type Command, exitCodes, exitCodesText } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { receiptText } from "../frame/receipt-text.ts";
import { print, targetHelp, targetOptions, withTarget } from "../frame/target-command.ts";

/** `npx paycast callback ID`: what became of one callback. */
export const callback: Command = {
  help: `Usage: npx paycast callback ID [--stack NAME] [--json]

Shows what became of a callback, by its id as the payment service writes it, with or without dashes: when it
came, which key version opened it, which fact it states, which event it led to and who got it, and what it said.
If different content came under one id, all of it is shown.

Options
${targetHelp}

Examples
  npx paycast callback 3F2504E0-4F89-11D3-9A0C-0305E82C3301
  npx paycast callback 3f2504e04f8911d39a0c0305e82c3301 --stack Paycast --json

${exitCodesText}
`,
  run: async (args, terminal) => {
    const { values, words } = parseArguments(args, targetOptions, ["ID"]);
    const entries = await withTarget(values, (target) => findCallback(target, words[0] ?? ""));
    print(terminal, values, entries, () => {
      const texts = entries.map((entry) => receiptText(entry, terminal.colours, true));
      const orderNo = entries.find((entry) => entry.orderNo !== undefined)?.orderNo;
      const hint =
        orderNo === undefined ? "" : `\nIts order: npx paycast order ${shellWord(orderNo)}\n`;
      return `${texts.join("\n")}${hint}`;
    });
    return exitCodes.success;
  },
};
