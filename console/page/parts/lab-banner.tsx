import type { LabView } from "../../routes/lab-routes.ts";
import type { TourView } from "../../tour/tour.ts";
import { Link, type Place } from "../router.tsx";
import { useView } from "../use-view.ts";
import { brokenThings, Things } from "../views/lab/broken-things.tsx";
import { describeClock, useServiceClock } from "./service-clock.ts";

/** On every view: what is broken on purpose, since it explains what else is seen. The Lab says it itself. */
export function LabBanner({ place }: { readonly place: Place }) {
  switch (place.path[0]) {
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
  const things = data === undefined ? [] : brokenThings(data);
  return (
    <aside class="lab-banner" aria-label="From the Lab">
      <div role="status">
        {things.length > 0 && (
          <p>
            <strong>On purpose:</strong> <Things things={things} /> <ToLab />
          </p>
        )}
      </div>
      {data !== undefined && <ClockNews clock={data.clock} />}
    </aside>
  );
}

/** Not a live region: a screen reader would read every second. */
function ClockNews({ clock }: Pick<LabView, "clock">) {
  const news = describeClock(clock, useServiceClock(clock).aheadSeconds);
  if (news === undefined) return null;
  return (
    <p>
      The payment service's clock {news}. <ToLab />
    </p>
  );
}

function ToLab() {
  return <Link to="/lab">Go to the Lab</Link>;
}
