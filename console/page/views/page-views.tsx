import type { ComponentType } from "preact";
import type { StackView } from "../../routes/stack-routes.ts";
import { Empty } from "../parts/states.tsx";
import { Link, type Place } from "../router.tsx";
import type { ViewProps } from "../view-props.ts";
import { FindView } from "./find-view.tsx";
import { FlowView } from "./flow-view.tsx";
import { KeysView } from "./keys-view.tsx";
import { LabView } from "./lab/lab-view.tsx";
import { OrdersView } from "./orders-view.tsx";
import { QuarantineView } from "./quarantine-view.tsx";
import { RequestsView } from "./requests-view.tsx";
import { SubscribersView } from "./subscribers-view.tsx";
import { TourView } from "./tour/tour-view.tsx";

interface PageView {
  /** The first part of the path; the flow has none. */
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType<ViewProps>;
  /** Only for the local stack. */
  readonly isLab?: boolean;
  /** Reached from elsewhere. */
  readonly isUnlisted?: boolean;
}

/** The views in the order of the menu. */
const pageViews: readonly PageView[] = [
  { name: "", title: "Flow", View: FlowView },
  { name: "orders", title: "Orders", View: OrdersView },
  { name: "find", title: "Find", View: FindView, isUnlisted: true },
  { name: "requests", title: "Requests", View: RequestsView },
  { name: "quarantine", title: "Quarantine", View: QuarantineView },
  { name: "subscribers", title: "Subscribers", View: SubscribersView },
  { name: "keys", title: "Keys", View: KeysView },
  { name: "lab", title: "Lab", View: LabView, isLab: true },
  { name: "tour", title: "Tour", View: TourView, isLab: true },
];

export function menuOf(stack: StackView): readonly PageView[] {
  return viewsOf(stack).filter(({ isUnlisted = false }) => !isUnlisted);
}

export function findPageView({ path: [name = ""] }: Place, stack: StackView): PageView {
  return viewsOf(stack).find((view) => view.name === name) ?? nowhere;
}

function viewsOf({ hasLab }: StackView): readonly PageView[] {
  return pageViews.filter(({ isLab = false }) => hasLab || !isLab);
}

const nowhere: PageView = { name: "", title: "Not found", View: Nowhere };

function Nowhere() {
  return (
    <>
      <h1>Not found</h1>
      <Empty title="There is nothing at this address.">
        <p>
          Go to the <Link to="/">flow</Link>.
        </p>
      </Empty>
    </>
  );
}
