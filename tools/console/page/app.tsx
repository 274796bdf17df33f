import { type ComponentType, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { StackView } from "../routes/console-routes.ts";
import { AttentionView } from "./attention/attention-view.tsx";
import { FindBox } from "./find/find-box.tsx";
import { FindView } from "./find/find-view.tsx";
import { FlowView } from "./flow/flow-view.tsx";
import { KeysView } from "./keys/keys-view.tsx";
import { LabBanner } from "./lab/faults-card.tsx";
import { LabView } from "./lab/lab-view.tsx";
import { startLive } from "./live-updates.ts";
import { OrdersView } from "./orders/orders-view.tsx";
import { Badge } from "./parts/elements.tsx";
import { JobTray } from "./parts/job-tray.tsx";
import { ShortcutHelp } from "./parts/shortcuts.tsx";
import { NotFound, Shown } from "./parts/states.tsx";
import { RequestsView } from "./requests/requests-view.tsx";
import { Link, type Place, usePlace } from "./router.tsx";
import { SubscribersView } from "./subscriber/subscribers-view.tsx";
import { TourView } from "./tour/tour-view.tsx";
import { StackProvider, useStack, useView } from "./use-view.ts";

function App() {
  const stack = useView<StackView>("/api/stack", { isLive: false });
  return (
    <Shown view={stack} what="the stack">
      {(shown) => (
        <StackProvider value={shown}>
          <Console />
        </StackProvider>
      )}
    </Shown>
  );
}

function Console() {
  const stack = useStack();
  const place = usePlace();
  const { title, View } = findPageView(place, stack);
  const main = useFocusAfterMove(place);
  useEffect(() => startLive(stack.isLive), [stack.isLive]);
  const [, about] = place.path;
  useEffect(() => {
    const names = about === undefined ? [title] : [about, title];
    document.title = `${names.join(" · ")} · Paycast ${stack.name}`;
  }, [about, title, stack.name]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar />
      <ShortcutHelp />
      {stack.hasLab && <LabBanner />}
      {stack.kind === "local" && <JobTray />}
      <main id="main" ref={main} tabIndex={-1}>
        <View />
      </main>
      <footer class="zone quiet">
        <p>{zoneText(Intl.DateTimeFormat().resolvedOptions().timeZone)}</p>
      </footer>
    </>
  );
}

/** If the followed link no longer exists, the focus moves to the new content, not to the top of the page. */
function useFocusAfterMove({ path }: Place) {
  const main = useRef<HTMLElement>(null);
  const address = path.join("/");
  const before = useRef(address);
  useEffect(() => {
    const isMoved = before.current !== address;
    before.current = address;
    if (isMoved && document.activeElement === document.body) {
      main.current?.focus({ preventScroll: true });
    }
  }, [address]);
  return main;
}

function zoneText(zone: string): string {
  return zone === "UTC" ? "Times are in UTC." : `Times are in UTC; hover over one for ${zone}.`;
}

function TopBar() {
  const stack = useStack();
  const { path } = usePlace();
  return (
    <header class="top">
      <div class="top-line">
        <Link to="/" class="brand">
          <Mark />
          Paycast
        </Link>
        <span class="stack-name">
          <Badge tone={stack.kind === "local" ? "plain" : "open"}>{stack.name}</Badge>
          {stack.kind === "deployed" && <span class="quiet">{stack.region}</span>}
          {stack.kind === "deployed" && <Badge>read-only</Badge>}
        </span>
        <FindBox />
      </div>
      <nav aria-label="Views">
        <ul>
          {viewsOf(stack)
            .filter(({ isUnlisted = false }) => !isUnlisted)
            .map(({ name, title }) => (
              <li key={name}>
                <Link to={`/${name}`} current={(path[0] ?? "") === name}>
                  {title}
                </Link>
              </li>
            ))}
        </ul>
      </nav>
    </header>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 16h8m0 0 8-7m-8 7h9m-9 0 8 7" />
    </svg>
  );
}

interface PageView {
  /** The first part of the path; empty for Flow. */
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType;
  /** Only for the local stack. */
  readonly isLab?: boolean;
  /** Not in the menu. */
  readonly isUnlisted?: boolean;
}

/** The views in the order of the menu. */
const pageViews: readonly PageView[] = [
  { name: "", title: "Flow", View: FlowView },
  { name: "orders", title: "Orders", View: OrdersView },
  { name: "find", title: "Find", View: FindView, isUnlisted: true },
  { name: "requests", title: "Requests", View: RequestsView },
  { name: "attention", title: "Attention", View: AttentionView },
  { name: "subscribers", title: "Subscribers", View: SubscribersView },
  { name: "keys", title: "Keys", View: KeysView },
  { name: "lab", title: "Lab", View: LabView, isLab: true },
  { name: "tour", title: "Tour", View: TourView, isLab: true },
];

function findPageView({ path: [name = ""] }: Place, stack: StackView): PageView {
  return viewsOf(stack).find((view) => view.name === name) ?? nowhere;
}

function viewsOf({ hasLab }: StackView): readonly PageView[] {
  return pageViews.filter(({ isLab = false }) => hasLab || !isLab);
}

const nowhere: PageView = { name: "", title: "Not found", View: Nowhere };

function Nowhere() {
  return (
    <NotFound heading="Not found" title="This page does not exist.">
      <p>
        Go to <Link to="/">Flow</Link>.
      </p>
    </NotFound>
  );
}

const root = document.getElementById("console");
if (root !== null) render(<App />, root);
