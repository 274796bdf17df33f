import { durationText } from "../../../../shared/text/number-text.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { QueueHistory } from "../../../operations/queues/queue-history.ts";
import { Chart } from "../flow/chart.tsx";
import { Shown } from "../parts/states.tsx";
import { addressOf } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";

/** What SQS reported about the queue in the last hour. */
export function useHistory(name: string) {
  return useView<QueueHistory>(addressOf(["api", "subscribers", name, "history"]));
}

interface QueueChartsProps {
  readonly view: ReturnType<typeof useHistory>;
  readonly subscriber: SubscriberFlow;
}

/** The last hour of the queue: events sent to it, events deleted, and the age of the oldest. */
export function QueueCharts({ view, subscriber: { isLate } }: QueueChartsProps) {
  const delay = useStack().kind === "local" ? "once a minute" : "with a delay of some minutes";
  return (
    <section class="card">
      <h2>The last hour</h2>
      <Shown view={view} what="the last hour">
        {({ sent, deleted, oldestSeconds }) => (
          <div class="queue-charts">
            <section>
              <h3>
                Sent <strong>{sent.total}</strong>
              </h3>
              <Chart counted={sent} unit="sent" />
            </section>
            <section>
              <h3>
                Deleted <strong>{deleted.total}</strong>
              </h3>
              <Chart counted={deleted} unit="deleted" />
            </section>
            <section>
              <h3>Age of the oldest</h3>
              <Chart
                counted={oldestSeconds}
                unit="old"
                label="Age of the oldest event"
                valueText={durationText}
                tone={isLate ? "bad" : "plain"}
              />
            </section>
          </div>
        )}
      </Shown>
      <p class="quiet">
        Sent: events that Paycast put into the queue. Deleted: events that the consumer finished.
        SQS reports both {delay}.
      </p>
    </section>
  );
}
