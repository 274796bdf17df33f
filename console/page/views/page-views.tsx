import type { ComponentType } from "preact";
import type { StackView } from "../../routes/stack-routes.ts";
import { Empty } from "../parts/states.tsx";
import { Link, type Place } from "../router.tsx";
import { FlowView } from "./flow-view.tsx";

export interface ViewProps {
  readonly stack: StackView;
  readonly place: Place;
}

interface PageView {
  /** The first part of the path; the flow has none. */
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType<ViewProps>;
  /** Only for the local stack. */
  readonly isLab?: boolean;
}

/** The views in the order of the menu. */
const pageViews: readonly PageView[] = [{ name: "", title: "Flow", View: FlowView }];

export function menuOf({ hasLab }: StackView): readonly PageView[] {
  return pageViews.filter(({ isLab = false }) => hasLab || !isLab);
}

export function findPageView({ path: [name = ""] }: Place, stack: StackView): PageView {
  return menuOf(stack).find((view) => view.name === name) ?? nowhere;
}

const nowhere: PageView = { name: "", title: "Not found", View: Nowhere };

function Nowhere() {
  return (
    <Empty title="There is nothing at this address.">
      <p>
        Go to the <Link to="/">flow</Link>.
      </p>
    </Empty>
  );
}
