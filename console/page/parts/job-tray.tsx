import { useEffect, useState } from "preact/hooks";
import type { JobsView } from "../../routes/job-routes.ts";
import type { Job } from "../../server/jobs.ts";
import { send } from "../api.ts";
import { useView } from "../use-view.ts";
import { ActionButton } from "./action-button.tsx";
import { Badge, type Tone } from "./small.tsx";

/** Pages that poll the stack at longer intervals still see how work goes on. */
const progressMilliseconds = 2_000;

/** Longer work, in a corner of every view: how far it is and what came of it. */
export function JobTray() {
  const { data, refresh } = useView<JobsView>("/api/jobs");
  const isBusy = data?.jobs.some(({ state }) => state === "running") ?? false;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(refresh, progressMilliseconds);
    return () => clearInterval(timer);
  }, [isBusy, refresh]);
  const [dismissed, setDismissed] = useState(readDismissed);
  const dismiss = (id: string) => {
    setDismissed([...dismissed, id]);
    sessionStorage.setItem(dismissedKey, [...dismissed, id].join());
  };
  const shown = (data?.jobs ?? []).filter(({ id }) => !dismissed.includes(id)).slice(0, 3);
  return (
    <aside class="jobs" aria-label="Work in progress" aria-live="polite">
      {shown.map((job) => (
        <JobCard key={job.id} job={job} onDismiss={() => dismiss(job.id)} />
      ))}
    </aside>
  );
}

/** What was closed stays closed after a reload. */
const dismissedKey = "dismissed-jobs";

function readDismissed(): readonly string[] {
  return (sessionStorage.getItem(dismissedKey) ?? "").split(",");
}

const tones: Readonly<Record<Job["state"], Tone>> = {
  running: "open",
  done: "good",
  failed: "bad",
};

function JobCard({ job, onDismiss }: { readonly job: Job; readonly onDismiss: () => void }) {
  const isRunning = job.state === "running";
  return (
    <section class="job">
      <p class="line">
        <Badge tone={tones[job.state]}>{job.state}</Badge>
        <strong>{job.title}</strong>
      </p>
      <p class="quiet">{job.outcome ?? job.progress}</p>
      {isRunning ? (
        <ActionButton class="small" act={() => send(`/api/jobs/${job.id}/stop`)}>
          Stop
        </ActionButton>
      ) : (
        <button type="button" class="small" onClick={onDismiss}>
          Close
        </button>
      )}
    </section>
  );
}
