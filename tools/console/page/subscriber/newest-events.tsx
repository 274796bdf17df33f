import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { SubscriberEvent } from "../../../operations/queues/newest-deliveries.ts";
import { deliveryText } from "../../../operations/timeline/open-problems.ts";
import type { SubscriberEvents } from "../../routes/subscriber-routes.ts";
import { Badge, Id, OrderLink } from "../parts/elements.tsx";
import { Empty, InLab, Shown } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Ago, clockText, localTime, useNow } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useView } from "../use-view.ts";

interface NewestEventsProps {
  readonly subscriber: SubscriberFlow;
}

/** The events for a subscriber as they come. They are read from the records, so that looking takes nothing away. */
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
            <Empty title="No event came in the last day.">
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
  const columns: readonly Column<SubscriberEvent>[] = [
    { head: "Event", look: "wide", cell: ({ type }) => <strong>{type}</strong> },
    { head: "Order", cell: (event) => <About event={event} /> },
    { head: "Sequence", look: "number", cell: ({ sequence }) => sequence },
    { head: "Where", cell: (event) => <Where event={event} subscriber={subscriber} /> },
    { head: "Came", look: "right number", cell: ({ recordedAt }) => <Ago at={recordedAt} /> },
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
        Read from the records: nothing was received. SQS does not say which events it holds, so what
        was delivered after the oldest that waits is said to be in the queue.
      </p>
    </>
  );
}

const freshMilliseconds = 4_000;

/** A row that has just come stands out for a moment. */
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

/** CloudWatch tells the age of the oldest by the minute. */
const slackMilliseconds = 1_000;

function Where({ event, subscriber }: { readonly event: SubscriberEvent } & NewestEventsProps) {
  const { state, at, late } = event;
  if (state !== "sent") {
    const tone = state === "given-up" ? "bad" : state === "waiting" ? "open" : "plain";
    return <Badge tone={tone}>{deliveryText(event, localTime)}</Badge>;
  }
  return (
    <>
      {isInQueue(event, subscriber) ? (
        <Badge tone="open">in the queue</Badge>
      ) : (
        <Badge>{subscriber.isGone ? "delivered" : "read"}</Badge>
      )}
      {at !== undefined && late !== undefined && (
        <span class="below open-text">{deliveryText(event, clockText)}</span>
      )}
    </>
  );
}

function isInQueue({ at }: SubscriberEvent, { oldestAt }: SubscriberFlow): boolean {
  if (at === undefined || oldestAt === undefined) return false;
  return Date.parse(at) >= Date.parse(oldestAt) - slackMilliseconds;
}
