import {
  listQuarantine,
  type QuarantineList,
} from "../../operations/quarantine/list-quarantine.ts";
import { lookingCounts, walking } from "../dead-letters/walking.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseOptions } from "../frame/parse-options.ts";
import { print, targetOptions, withTarget } from "../frame/target-command.ts";
import { hiddenText, itemsText } from "./item-text.ts";
import { placeOptions, readPlace } from "./read-place.ts";

const options = {
  ...targetOptions,
  ...placeOptions,
  reason: { type: "string" },
  merchant: { type: "string" },
  limit: { type: "string" },
} as const;

export async function runList(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const values = parseOptions(args, options);
  const { reason, merchant: merchantId } = values;
  const limit = wholeNumber(values.limit ?? "50", "--limit", 1);
  const filter = { reason, merchantId, ...readPlace(values, Date.now()) };
  const list = await withTarget(values, (target) =>
    walking(terminal, "Looking at dead letters", (walk) =>
      listQuarantine(target, { ...filter, limit }, walk),
    ),
  );
  print(terminal, values, list, () => listText(list, terminal));
  return list.stopped ? exitCodes.negative : exitCodes.success;
}

function listText(list: QuarantineList, terminal: Terminal): string {
  const { items, more, stopped } = list;
  const hidden = hiddenText(list);
  const end = stopped ? "Stopped: not everything was looked at.\n" : "";
  if (items.length === 0) return `Nothing needs a person.\n${hidden}${end}`;
  const rest = more > 0 ? `${more} more, older. Show them with --limit.\n` : "";
  return `${itemsText(items, terminal)}\n${rest}${hidden}${end}${lookingCounts}`;
}

export function wholeNumber(text: string, option: string, least: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least) return number;
  throw new UsageError(`${option} needs a whole number, at least ${least}.`);
}
