import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { SubscriberEvent } from "../../../operations/queues/newest-deliveries.ts";
import { deliveryText } from "../../../operations/timeline/open-problems.ts";
import type { SubscriberEvents } from "../../routes/subscriber-routes.ts";
import { Badge, Id, OrderLink } from "../parts/elements.tsx";
import { Empty, InLab, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Ago, clockText, useNow, wholeTime } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useView } from "../use-view.ts";

interface NewestEventsProps {
  readonly subscriber: SubscriberFlow;
}

/** The newest events for a subscriber. Reads the records, so no message is taken from the queue. */
export function NewestEvents({ subscriber }: NewestEventsProps) {
  const path = addressOf(["api", "subscribers", subscriber.name, "events"]);
  const view = useView<SubscriberEvents>(path);
  return (
    <section class="card">
      <h2>
        Newest events <Badge tone="good">live</Badge>
      </h2>
      <Shown view={view} what="the newest events">
        {({ events }) =>
          events.length === 0 ? (
            <Empty title="No events in the last day.">
              <InLab>To see one, pay an order.</InLab>
            </Empty>
          ) : (
            <EventTable events={events} subscriber={subscriber} />
          )
        }
      </Shown>
    </section>
  );
}

function EventTable({ events, subscriber }: SubscriberEvents & NewestEventsProps) {
  const placeOf = findPlaces(events, subscriber);
  const columns: readonly Column<SubscriberEvent>[] = [
    { head: "Event", look: "wide", cell: (event) => <What event={event} /> },
    { head: "Order", cell: (event) => <About event={event} /> },
    { head: "Sequence", word: "sequence", look: "number", cell: ({ sequence }) => sequence },
    { head: "Location", cell: (event) => <Where event={event} place={placeOf(event)} /> },
    { head: "Recorded", look: "right number", cell: ({ recordedAt }) => <Ago at={recordedAt} /> },
  ];
  return (
    <>
      <Table
        class="newest-events"
        rows={events}
        idOf={({ eventId }) => eventId}
        columns={columns}
        rowClass={useFresh()}
      />
      <p class="quiet list-end">
        This list comes from Paycast's records and receives no messages. SQS does not list the
        messages of a queue. An event that was sent after the oldest waiting one may still be in the
        queue, already read, or a dead letter.
      </p>
    </>
  );
}

const freshMilliseconds = 4_000;

/** Highlights a new row for a moment. */
function useFresh() {
  const now = useNow();
  return ({ recordedAt }: SubscriberEvent) =>
    now - Date.parse(recordedAt) < freshMilliseconds ? "fresh" : undefined;
}

function About({ event }: { readonly event: SubscriberEvent }) {
  const { orderNo, merchantId, paymentId } = event;
  if (orderNo !== undefined) return <OrderLink orderNo={orderNo} merchantId={merchantId} />;
  return paymentId === undefined ? "–" : <Id text={paymentId} what="payment id" />;
}

/** Says so if this subscriber got the event later than others. */
function What({ event }: { readonly event: SubscriberEvent }) {
  const { type, state, late } = event;
  return (
    <>
      <strong>{type}</strong>
      {state === "sent" && late !== undefined && (
        <span class="below open-text">{deliveryText(event, clockText)}</span>
      )}
    </>
  );
}

interface WhereProps {
  readonly event: SubscriberEvent;
  readonly place: Place;
}

function Where({ event, place }: WhereProps) {
  const { state } = event;
  if (state === "sent") {
    return <Badge tone={place.endsWith("in the queue") ? "open" : "plain"}>{place}</Badge>;
  }
  const tone = state === "given-up" ? "bad" : state === "waiting" ? "open" : "plain";
  return <Badge tone={tone}>{deliveryText(event, wholeTime)}</Badge>;
}

type Place = "in the queue" | "perhaps in the queue" | "read" | "delivered";

/** SQS reports the time of its oldest event to the second, CloudWatch to the minute. */
const slackMilliseconds = 1_000;

/** Events that were sent after the oldest waiting one are in the queue, if it holds at least as many. */
function findPlaces(
  events: readonly SubscriberEvent[],
  { oldestAt, waiting, inFlight, isGone }: SubscriberFlow,
): (event: SubscriberEvent) => Place {
  const since = oldestAt === undefined ? Infinity : Date.parse(oldestAt) - slackMilliseconds;
  const isSince = ({ at }: SubscriberEvent) => at !== undefined && Date.parse(at) >= since;
  const areAll = events.filter(isSince).length <= waiting + inFlight;
  return (event) => {
    if (isGone) return "delivered";
    if (!isSince(event)) return "read";
    return areAll ? "in the queue" : "perhaps in the queue";
  };
}
