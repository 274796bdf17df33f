import { useEffect, useRef } from "preact/hooks";
import type { StackView } from "../routes/stack-routes.ts";
import { startLive } from "./live.ts";
import { JobTray } from "./parts/job-tray.tsx";
import { LabBanner } from "./parts/lab-banner.tsx";
import { Shown } from "./parts/states.tsx";
import { TopBar } from "./parts/top-bar.tsx";
import { type Place, usePlace } from "./router.tsx";
import { useView } from "./use-view.ts";
import { findPageView } from "./views/page-views.tsx";

export function App() {
  const stack = useView<StackView>("/api/stack", { isLive: false });
  return (
    <Shown view={stack} what="the stack">
      {(shown) => <Console stack={shown} />}
    </Shown>
  );
}

function Console({ stack }: { readonly stack: StackView }) {
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
      <TopBar stack={stack} place={place} />
      {stack.hasLab && <LabBanner place={place} />}
      <JobTray />
      <main id="main" ref={main} tabIndex={-1}>
        <View stack={stack} place={place} />
      </main>
      <footer class="zone">
        <p>{zoneText(Intl.DateTimeFormat().resolvedOptions().timeZone)}</p>
      </footer>
    </>
  );
}

/** The link that was followed may be gone. The keyboard goes on at the new content then, not at the top of the page. */
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
  return zone === "UTC" ? "Times are in UTC." : `Times are in ${zone}; hover over one for UTC.`;
}
