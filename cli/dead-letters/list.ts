import {
  type DeadLetter,
  type DeadLetterList,
  listDeadLetters,
  type ShownDeadLetter,
  showDeadLetter,
} from "../../operations/dead-letters/list-dead-letters.ts";
import { indentJson } from "../../shared/indent-json.ts";
import { printable } from "../../shared/terminal-text.ts";
import { columns, pairs } from "../frame/columns.ts";
import { type ExitCode, exitCodes, type Terminal } from "../frame/command.ts";
import { parseArguments, parseOptions } from "../frame/parse-options.ts";
import { print, targetOptions, withTarget } from "../frame/target-command.ts";
import { timeText } from "../frame/time-text.ts";
import { looking, lookingCounts, walking } from "./walking.ts";

const head = ["message", "type", "subject", "sequence", "sent", "received"];

export async function runList(
  subscriber: string,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const values = parseOptions(args, targetOptions);
  const list = await withTarget(values, (target) =>
    walking(terminal, "Looking at dead letters", (walk) =>
      listDeadLetters(target, subscriber, walk),
    ),
  );
  print(terminal, values, list, () => listText(list, terminal));
  return list.stopped ? exitCodes.negative : exitCodes.success;
}

function listText(list: DeadLetterList, terminal: Terminal): string {
  const { subscriber, letters, total, stopped, notGivenBack } = list;
  const hidden = total - letters.length;
  const rest =
    hidden > 0
      ? `About ${hidden} more are not shown by SQS: they wait behind another event of the same order, or somebody else holds them.\n`
      : "";
  const late =
    notGivenBack > 0
      ? `${notGivenBack} could not be given back at once; they are visible again within five minutes.\n`
      : "";
  const end = stopped ? "Stopped: not everything was looked at.\n" : "";
  if (letters.length === 0) return `No dead letters of ${subscriber}.\n${rest}${end}`;
  return `${lettersText(letters, terminal)}\n${rest}${late}${end}${lookingCounts}`;
}

export function lettersText(letters: readonly DeadLetter[], { colours }: Terminal): string {
  const now = Date.now();
  const rows = letters.map((letter) => [
    letter.messageId,
    letter.type ?? "-",
    letter.subject ?? "-",
    letter.sequence ?? "-",
    timeText(letter.sentAt, now),
    String(letter.receiveCount),
  ]);
  return columns(head.map(colours.bold), rows);
}

export async function runShow(
  subscriber: string,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values, words } = parseArguments(args, targetOptions, ["ID"]);
  const shown = await withTarget(values, (target) =>
    looking(terminal, (walk) => showDeadLetter(target, subscriber, words[0] ?? "", walk)),
  );
  if (shown === undefined) return exitCodes.negative;
  print(terminal, values, shown, () => shownText(shown));
  return exitCodes.success;
}

function shownText(shown: ShownDeadLetter): string {
  const attributes = Object.entries(shown.attributes).map(
    ([name, text]) => [`attribute ${printable(name)}`, text] as const,
  );
  const about = pairs([
    ["message", shown.messageId],
    ["event", shown.eventId],
    ["sent", timeText(shown.sentAt, Date.now())],
    ["received", `${shown.receiveCount} times`],
    ...attributes,
  ]);
  const body = indentJson(shown.body) ?? shown.body;
  return `${about}\n${body.split("\n").map(printable).join("\n")}\n`;
}
