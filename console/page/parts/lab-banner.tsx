import type { LabView } from "../../routes/lab-routes.ts";
import { Link } from "../router.tsx";
import { useView } from "../use-view.ts";
import { brokenThings } from "../views/lab/broken-things.ts";

/** On every view: what is broken on purpose, since it explains what else is seen. */
export function LabBanner() {
  const { data } = useView<LabView>("/api/lab");
  const things = data === undefined ? [] : brokenThings(data);
  return (
    <div class="lab-banner" role="status">
      {things.length > 0 && (
        <p>
          <strong>On purpose:</strong> {things.join(" · ")} <Link to="/lab">Go to the Lab</Link>
        </p>
      )}
    </div>
  );
}
