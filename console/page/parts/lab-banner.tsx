import type { LabView } from "../../routes/lab-routes.ts";
import type { TourView } from "../../tour/tour.ts";
import { Link, type Place } from "../router.tsx";
import { useView } from "../use-view.ts";
import { brokenThings, Things } from "../views/lab/broken-things.tsx";

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
    <div class="lab-banner" role="status">
      {things.length > 0 && (
        <p>
          <strong>On purpose:</strong> <Things things={things} />{" "}
          <Link to="/lab">Go to the Lab</Link>
        </p>
      )}
    </div>
  );
}
