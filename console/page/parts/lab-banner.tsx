import type { LabView } from "../../routes/lab-routes.ts";
import type { TourView } from "../../tour/tour.ts";
import { brokenThings, Things } from "../lab/broken-things.tsx";
import { Link, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";
import { describeClock, useServiceClock } from "./time.tsx";

/** On every view: what is broken on purpose, since it explains what else is seen. The Lab says it itself. */
export function LabBanner() {
  switch (usePlace().path[0]) {
    case "lab":
      return null;
    case "tour":
      return <UnlessPlaying />;
    default:
      return <Banner />;
  }
}

/** While a scenario is played, its steps say what it breaks. */
function UnlessPlaying() {
  const { data } = useView<TourView>("/api/tour");
  return data?.isRunning ? null : <Banner />;
}

function Banner() {
  const { data } = useView<LabView>("/api/lab");
  return (
    <aside class="lab-banner" aria-label="From the Lab">
      {data !== undefined && <Strip lab={data} />}
    </aside>
  );
}

function Strip({ lab }: { readonly lab: LabView }) {
  const things = brokenThings(lab);
  const clock = describeClock(lab.clock, useServiceClock(lab.clock).aheadSeconds);
  const isOrdinary = things.length === 0 && clock === undefined;
  return (
    <p class={isOrdinary ? "hidden" : ""}>
      <span role="status">
        {things.length > 0 && (
          <>
            <strong>On purpose:</strong> <Things things={things} />.{" "}
          </>
        )}
      </span>
      {/* Not in the live region: a screen reader would read every second. */}
      {clock !== undefined && <>The payment service's clock {clock}. </>}
      {!isOrdinary && <Link to="/lab">Go to the Lab</Link>}
    </p>
  );
}
