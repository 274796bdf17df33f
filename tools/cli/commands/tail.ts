import * as z from "zod";
import type { PublishedRecord } from "../../../shared/records/callback-record.ts";
import { type Colours, printable } from "../../../shared/text/terminal-text.ts";
import { time } from "../../operations/described/fields.ts";
import { findSubscriber } from "../../operations/ports/queues.ts";
import { followEvents } from "../../operations/tailing/follow-events.ts";
import { createAligned } from "../frame/columns.ts";
import { exitCodes } from "../frame/exit-codes.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTarget } from "../frame/target-command.ts";

/** `npx paycast tail`: the events, as they are published. */
export const tail = ownCommand(
  {
    name: "tail",
    about: [
      "Prints each event when it is published, until Ctrl-C. With names, it prints only what these subscribers get. It reads the stack's records, not the queues, so it takes nothing away from a consumer.",
    ],
    examples: [
      "tail",
      "tail fulfilment --since 15m",
      "tail --stack Paycast --json | jq .data.status",
    ],
  },
  {
    summary:
      "An event appears about a second after it is recorded. The timeline of its order shows whether SQS has accepted it. With --json each event is one line of JSON, as it was sent.",
    input: z.object({
      subscribers: z
        .array(z.string())
        .default([])
        .meta({ description: "only what these get", placeholder: "SUBSCRIBER" }),
      since: time("begin earlier", "since"),
    }),
    words: ["subscribers"],
    run: async (asked, frame, terminal) => {
      await withTarget(frame, async (target) => {
        const sinceMilliseconds =
          asked.since === undefined ? target.clock.now() : Date.parse(asked.since);
        const subscribers = asked.subscribers.map(
          (name) => findSubscriber(target.queues, name).name,
        );
        const { stopped } = terminal;
        if (frame.json !== true) terminal.err("Waiting for events. Ctrl-C ends it.\n");
        const align = createAligned(usualWidths);
        const following = { subscribers, sinceMilliseconds, stopped };
        for await (const record of followEvents(target, following)) {
          if (frame.json === true) terminal.out(`${record.event}\n`);
          else terminal.out(align(eventCells(record, terminal.colours)));
        }
      });
      return exitCodes.success;
    },
  },
);

/** The widths of time, type, subject, amount and sequence. Most events fit. */
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
