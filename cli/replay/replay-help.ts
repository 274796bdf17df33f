import { exitCodesText } from "../frame/command.ts";
import { changeHelp } from "../frame/target-command.ts";

export const replayHelp = `Usage: npx paycast replay --to SUBSCRIBER (SELECTION | --all) [--rate N] [--yes]
       npx paycast replay --resume RUN [--rate N] [--yes]
       npx paycast replay list

Sends recorded events to a subscriber's queue again: the stored bytes, in order within each order and
payment, with the message attribute "replay". Live events go on meanwhile and may overtake it.

Selection (all that is given must match)
  --order ORDER_NO    the events of an order, with the refunds of its payments
  --without-refunds   with --order: without the refunds
  --payment ID        the refund events of a payment
  --event ID          an event; may be repeated. Needs --order, --payment or --since to find it
  --type PATTERN      a type, payment.order.*, payment.refund.* or *; may be repeated
  --merchant ID       the events of a merchant
  --since TIME        recorded at this time or later: 2026-11-15T09:30:00Z, 2026-11-15 (UTC), 90m, 3h, 2d
  --until TIME        recorded at this time or earlier; by default, and at the latest, the start of the run
  --all               everything that is recorded

Options
  --to SUBSCRIBER     who gets the events
  --rate N            at most so many events a second, 1 to 500; default 50
  --resume RUN        go on with a run that was interrupted
${changeHelp}

Examples
  npx paycast replay --to fulfilment --order ORDER-1001
  npx paycast replay --to fulfilment --since 3h --type payment.order.success --yes
  npx paycast replay --to new-team --all --rate 200 --stack Paycast --yes
  npx paycast replay --resume 20261115-101026-3f9a2c --yes

${exitCodesText}
`;
