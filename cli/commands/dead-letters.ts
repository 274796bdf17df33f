import { runList, runShow } from "../dead-letters/list.ts";
import { runRedrive } from "../dead-letters/redrive.ts";
import {
  type Command,
  type ExitCode,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { changeHelp } from "../frame/target-command.ts";

/** `npx paycast dead-letters`: the events that a subscriber's own consumer failed on. */
export const deadLetters: Command = { help: helpText(), run };

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [subscriber, action, ...rest] = args;
  if (subscriber === undefined || subscriber.startsWith("-")) {
    throw new UsageError("Name the subscriber first.");
  }
  switch (action) {
    case "list":
      return await runList(subscriber, rest, terminal);
    case "show":
      return await runShow(subscriber, rest, terminal);
    case "redrive":
      return await runRedrive(subscriber, rest, terminal);
    default:
      throw new UsageError("Say after the subscriber what to do: list, show or redrive.");
  }
}

function helpText(): string {
  return `Usage: npx paycast dead-letters SUBSCRIBER list
       npx paycast dead-letters SUBSCRIBER show ID
       npx paycast dead-letters SUBSCRIBER redrive (ID... | --all) [--yes]

The events in a subscriber's dead letters: its consumer received each ten times and did not finish it.

  list      oldest first
  show      one event as it was published
  redrive   sends events to the subscriber's queue again: same bytes, same order within the chosen ones.
            They come after younger events of their order, and after a crash of this command one may come
            twice: consumers use the event's id to recognise it.

An ID is a message id that list prints, or the beginning of it.

Options
  --all               redrive everything; on a deployed stack SQS itself moves the messages
${changeHelp}

Looking at dead letters counts as a receive. SQS leaves messages that were received often out of its age
metric. For five minutes at most, others do not see the messages that are being looked at.

Examples
  npx paycast dead-letters fulfilment list
  npx paycast dead-letters fulfilment show 0c1f
  npx paycast dead-letters fulfilment redrive 0c1f 77c0 --yes
  npx paycast dead-letters fulfilment redrive --all --stack PaycastStack

${exitCodesText}
`;
}
