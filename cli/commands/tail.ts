import * as z from "zod";
import { followEvents } from "../../operations/tailing/follow-events.ts";
import { findSubscriber } from "../../operations/target/find-subscriber.ts";
import type { PublishedRecord } from "../../shared/records/callback-record.ts";
import { type Colours, printable } from "../../shared/terminal-text.ts";
import { createAligned } from "../frame/columns.ts";
import { type Command, exitCodes, exitCodesText } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { readTime } from "../frame/read-time.ts";
import { targetHelp, targetOptions, withTarget } from "../frame/target-command.ts";

const options = { ...targetOptions, since: { type: "string" } } as const;

/** `npx paycast tail`: the events, as they are published. */
export const tail: Command = {
  help: `Usage: npx paycast tail [SUBSCRIBER...] [--since TIME] [--stack NAME] [--json]

Prints each event when it is published, until Ctrl-C. It reads the stack's records and not the queues: it takes
nothing away from a consumer, and a look does not count as a receive. With names, only what these subscribers get.

Options
  --since TIME        begin earlier: 15m, 3h or 2d ago, a date, or a time like 2026-11-15T09:30:00Z
${targetHelp.replace("print the result as JSON", "print each event as it was sent, one line of JSON each")}

Examples
  npx paycast tail
  npx paycast tail fulfilment --since 15m
  npx paycast tail --stack Paycast --json | jq .data.status

${exitCodesText}
`,
  run: async (args, terminal) => {
    const { values, words } = parseArguments(args, options, ["SUBSCRIBER..."]);
    const now = Date.now();
    const since = values.since === undefined ? now : readTime(values.since, "since", now);
    await withTarget(values, async (target) => {
      const subscribers = words.map((name) => findSubscriber(target, name).name);
      const { stopped } = terminal;
      if (values.json !== true) terminal.err("Waiting for events. Ctrl-C ends it.\n");
      const following = { subscribers, sinceMilliseconds: since, stopped };
      const align = createAligned(usualWidths);
      for await (const record of followEvents(target, following)) {
        if (values.json === true) terminal.out(`${record.event}\n`);
        else terminal.out(align(eventCells(record, terminal.colours)));
      }
    });
    return exitCodes.success;
  },
};

/** Of the time, the type, the subject, the amount and the sequence: most events fit in. */
const usualWidths = [24, 22, 16, 12, 10];

/** Only what a line shows: an event of a newer version may have flags and fields that this one does not know. */
const shownSchema = z.object({
  type: z.string(),
  subject: z.string().optional(),
  sequence: z.string(),
  data: z.object({
    amount: z.object({ value: z.string(), currency: z.string().optional() }).optional(),
    flags: z.array(z.string()),
  }),
});

function eventCells(record: PublishedRecord, { bold, dim, yellow }: Colours): string[] {
  const { type, subject = "", sequence, data } = shownSchema.parse(JSON.parse(record.event));
  const { amount } = data;
  const currency = amount?.currency === undefined ? "" : ` ${amount.currency}`;
  const flags = data.flags.length === 0 ? "" : `  ${yellow(data.flags.join(", "))}`;
  return [
    record.recordedAt,
    bold(type),
    printable(subject),
    amount === undefined ? "" : `${amount.value}${currency}`,
    dim(`sequence ${Number(sequence)}`),
    `${dim(`to ${record.recipients.join(", ") || "nobody"}`)}${flags}`,
  ];
}
