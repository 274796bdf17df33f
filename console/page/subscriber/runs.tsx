import type { ListedRun, RunList } from "../../../operations/replay/list-runs.ts";
import { counted } from "../../../shared/counted.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Badge, Id, Outside, type Tone } from "../parts/small.tsx";
import { Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useStack } from "../stack.ts";
import { useView } from "../use-view.ts";

const mostShown = 20;

/** The replays that were started in this folder, here or with the command. */
export function Runs({ name }: { readonly name: string }) {
  const view = useView<RunList>(addressOf(["api", "replay", "list"], { to: name }));
  if (view.data?.runs.length === 0 && view.problem === undefined) return null;
  return (
    <section class="card">
      <h2>Sent so far</h2>
      <Shown view={view} what="the replays">
        {({ runs }) => <RunTable runs={runs.slice(0, mostShown)} />}
      </Shown>
    </section>
  );
}

const tones: Readonly<Record<ListedRun["state"], Tone>> = {
  finished: "good",
  running: "open",
  interrupted: "bad",
};

function RunTable({ runs }: RunList) {
  return (
    <Table
      rows={runs}
      idOf={({ run }) => run}
      columns={[
        { head: "Started", look: "number", cell: ({ startedAt }) => <Ago at={startedAt} /> },
        { head: "Events of", cell: (run) => <Selection run={run} /> },
        {
          head: "Done",
          look: "number",
          cell: ({ position, events }) => `${position} of ${events}`,
        },
        { head: "State", cell: (run) => <State run={run} /> },
        { head: "Run", cell: ({ run }) => <Id text={run} what="run" /> },
      ]}
    />
  );
}

function State({ run: { run, state } }: { readonly run: ListedRun }) {
  const { canChange } = useStack();
  const input = () => ({ resume: run });
  return (
    <span class="line">
      <Badge tone={tones[state]}>{state}</Badge>
      {state === "interrupted" && canChange && (
        <ChangeButton label="Resume …" path="/api/replay" input={input} />
      )}
    </span>
  );
}

function Selection({ run: { selection } }: { readonly run: ListedRun }) {
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
