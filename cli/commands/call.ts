import { type CallResult, callService } from "../../operations/calling/call-service.ts";
import { type CallPlan, planCall } from "../../operations/calling/plan-call.ts";
import { type Colours, printableLines } from "../../shared/terminal-text.ts";
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
import { readInput } from "../frame/read-input.ts";
import {
  changeHelp,
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";

/** `npx paycast call`: one request of any operation to the payment service. */
export const call: Command = { help: helpText(), run };

const options = {
  ...changeOptions,
  merchant: { type: "string" },
  body: { type: "string" },
} as const;

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["METHOD", "PATH"]);
  const [method = "", path = ""] = words;
  if (values.body === undefined)
    throw new UsageError("Give the body with --body FILE, or --body -.");
  const bodyText = await readInput(values.body, "--body");
  return await withTargetToChange(values, terminal, async (target) => {
    const plan = planCall(target, { method, path, merchantId: values.merchant, bodyText });
    if (values.yes !== true) {
      print(
        terminal,
        values,
        { done: false, ...plan },
        () => `${planText(plan)}\n${nothingChanged}`,
      );
      return exitCodes.success;
    }
    const result = await callService(target, plan);
    print(terminal, values, result, () => resultText(result, terminal.colours));
    return result.outcome === "done" ? exitCodes.success : exitCodes.unavailable;
  });
}

function planText({ method, url, merchantId, body }: CallPlan): string {
  const head = pairs([
    ["method", method],
    ["url", url],
    ["merchant", merchantId],
    ["body", "as follows; it is signed and encrypted before it is sent"],
  ]);
  return `${head}${jsonText(body)}`;
}

function resultText(result: CallResult, colours: Colours): string {
  const { outcome, message, code, msg, data, answerText } = result;
  const paint = outcome === "done" ? colours.green : colours.red;
  const head = pairs([
    ["outcome", paint(outcome)],
    ["", outcome === "unknown" ? `${message} ${askFirst}` : message],
    ["code", code],
    ["msg", msg],
  ]);
  if (answerText !== undefined) return `${head}answer, as it came\n${printableLines(answerText)}\n`;
  return data === undefined ? head : `${head}data\n${jsonText(data)}`;
}

const askFirst = "Find out at the service before you send it again.";

function jsonText(value: unknown): string {
  return `${printableLines(JSON.stringify(value, null, 2))}\n`;
}

function helpText(): string {
  return `Usage: npx paycast call METHOD PATH --body FILE [--merchant ID] [--yes] [--stack NAME] [--json]

Sends one request to the payment service, signed and encrypted with the merchant's request keys, and shows
the answer. METHOD is the operation's name, PATH its path after the address and prefix of the config.
It can move money: without --yes it only shows what it would send. It is sent once. Only service.trade.query
is repeated if no answer comes. While the service has not answered, Ctrl-C waits for it; a second one does not.

Options
  --body FILE         the JSON object of the operation, before encryption; - reads standard input
  --merchant ID       the merchant; may be left out if the stack has only one
${changeHelp}

With --json: { outcome: "done" | "refused" | "not-sent" | "unknown", message, code?, msg?, data?, answerText? }.
After "unknown" the service may have done it. Ask it before you send the request again.

Examples
  echo '{"paymentId":"P1"}' |
    npx paycast call service.trade.query /payment/api/v1/payment-order/query --body - --yes
  npx paycast call service.trade.refund /payment/api/v1/refund --merchant M --body refund.json

${exitCodesText}
`;
}
