import type { StackView } from "../routes/stack-routes.ts";
import type { Place } from "./router.tsx";

/** What each view gets. */
export interface ViewProps {
  readonly stack: StackView;
  readonly place: Place;
}
