import { counted } from "../../../shared/counted.ts";
import type { ResumePreview, RunsView, RunView } from "../../routes/replay-routes.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { Outside } from "../parts/outside.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";
import { Badge, Id, type Tone } from "../parts/small.tsx";
import { Shown } from "../parts/states.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useView } from "../use-view.ts";

interface RunsProps {
  readonly name: string;
  readonly stack: StackView;
}

/** The replays that were started in this folder, here or with the command. */
export function Runs({ name, stack }: RunsProps) {
  const view = useView<RunsView>(addressOf(["api", "subscribers", name, "runs"]));
  if (view.data?.runs.length === 0 && view.problem === undefined) return null;
  return (
    <section class="card">
      <h2>Sent so far</h2>
      <Shown view={view} what="the replays">
        {({ runs }) => <RunTable runs={runs} stack={stack} />}
      </Shown>
    </section>
  );
}

const tones: Readonly<Record<RunView["state"], Tone>> = {
  finished: "good",
  running: "open",
  interrupted: "bad",
};

function RunTable({ runs, stack }: Pick<RunsProps, "stack"> & RunsView) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Started</th>
          <th scope="col">Events of</th>
          <th scope="col">Done</th>
          <th scope="col">State</th>
          <th scope="col">Run</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.run}>
            <td data-label="Started" class="number">
              <Ago at={run.startedAt} />
            </td>
            <td data-label="Events of">
              <Selection run={run} />
            </td>
            <td data-label="Done" class="number">
              {run.position} of {run.events}
            </td>
            <td data-label="State">
              <span class="line">
                <Badge tone={tones[run.state]}>{run.state}</Badge>
                {run.state === "interrupted" && stack.canChange && <Resume run={run} />}
              </span>
            </td>
            <td data-label="Run">
              <Id text={run.run} what="run" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Resume({ run: { run } }: { readonly run: RunView }) {
  return (
    <PreviewButton<ResumePreview>
      label="Resume …"
      previewPath={addressOf(["api", "replays", run, "resume", "preview"])}
      body={() => ({})}
      path="/api/replays/resume"
      title={`Resume replay ${run}`}
      yes={({ events, position }) =>
        position >= events ? undefined : `Send the other ${events - position}`
      }
    >
      {({ events, position, counts, eventsPerSecond }) => (
        <p>
          {position} of {counted(events, "event")} are done, {counts.sent} of them sent. The other{" "}
          {events - position} would be sent now, at most {eventsPerSecond} a second.
        </p>
      )}
    </PreviewButton>
  );
}

function Selection({ run: { selection } }: { readonly run: RunView }) {
  const { orderNo, paymentId, since, until, events } = selection;
  if (orderNo !== undefined) return <Outside text={`order ${orderNo}`} />;
  if (paymentId !== undefined) return <Outside text={`payment ${paymentId}`} />;
  if (events !== undefined) return <>{counted(events.length, "event id")}</>;
  if (since === undefined) return <>everything recorded</>;
  return (
    <span>
      <DateTime at={since} /> to <DateTime at={until} />
    </span>
  );
}
