import {
  type Command,
  type ExitCode,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { changeHelp } from "../frame/target-command.ts";
import { runDiscard } from "../quarantine/discard.ts";
import { runList } from "../quarantine/list.ts";
import { runRedrive } from "../quarantine/redrive.ts";
import { runShow } from "../quarantine/show.ts";

/** `npx paycast quarantine`: what needs a person, and how it is sent again. */
export const quarantine: Command = { help: helpText(), run };

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [action, ...rest] = args;
  switch (action) {
    case "list":
      return await runList(rest, terminal);
    case "show":
      return await runShow(rest, terminal);
    case "redrive":
      return await runRedrive(rest, terminal);
    case "discard":
      return await runDiscard(rest, terminal);
    default:
      throw new UsageError("Say first what to do: list, show, redrive or discard.");
  }
}

function helpText(): string {
  return `Usage: npx paycast quarantine list [--reason R] [--merchant ID] [PLACE] [--limit N]
       npx paycast quarantine show ID [PLACE] [--raw]
       npx paycast quarantine redrive (ID... | --reason R | PLACE | --all) [--wait SECONDS] [--yes]
       npx paycast quarantine discard ID... [--yes]

Everything that needs a person: callbacks that could not be understood, events that a subscriber did not
get, and messages that were received too often. They are records in the callbacks table, dead letters of
the inbox, or both; each is shown once.

  list      newest first
  show      everything about one, with its payload
  redrive   sends the stored message to the inbox again, then deletes its dead letter. Safe to repeat: what
            was processed before publishes nothing twice. What fails again becomes a new dead letter.
            Messages that Paycast did not write are only sent if their ID is given.
  discard   deletes dead letters and never a record. Not possible for the only copy of a callback, nor
            while a configured subscriber misses the event.

An ID is the one that list prints, or the beginning of it. A PLACE is --order, --since, or both. Dead letters
expire after 14 days. An event that a subscriber still misses after that is only found with a PLACE: then the
recorded events of the order or time are looked at, too. Use the same PLACE with an ID of such an event.

Options
  --reason R          only with this reason, such as event-unknown
  --merchant ID       only of this merchant
  --order ORDER_NO    only of this order and its payments
  --since TIME        only what was recorded or put aside at this time or later: 2026-11-15T09:30:00Z,
                      2026-11-15 (UTC), 90m, 3h, 2d
  --until TIME        with --since: at this time or earlier
  --limit N           how many to list, 50 if not given
  --raw               the exact bytes of the payload, nothing else
  --all               redrive everything
  --wait SECONDS      how long to wait for the outcome, 60 if not given; 0 does not wait
${changeHelp}

Looking at dead letters counts as a receive. SQS leaves messages that were received often out of its age
metric. For five minutes at most, others do not see the messages that are being looked at.

Examples
  npx paycast quarantine list --reason event-unknown
  npx paycast quarantine list --order ORDER-1001
  npx paycast quarantine show 3f9a
  npx paycast quarantine redrive --reason event-unknown --stack PaycastStack
  npx paycast quarantine redrive 3f9a 77c0 --yes

${exitCodesText}
`;
}
