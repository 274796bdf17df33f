import type { ShownItem } from "../../../operations/quarantine/item.ts";
import {
  detailText,
  factsOf,
  kindWords,
  reasonText,
} from "../../../operations/quarantine/words.ts";
import { Payload } from "../parts/json.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ChangeButton, FactList } from "../parts/report.tsx";
import { Empty, ReadOnly, Shown } from "../parts/states.tsx";
import { addressOf, Link, type ViewProps } from "../router.tsx";
import { useView } from "../use-view.ts";
import { filterOf } from "./filter.tsx";
import { KindBadge } from "./list.tsx";

interface ItemViewProps extends ViewProps {
  readonly id: string;
}

/** One thing in quarantine, with its payload. */
export function QuarantinedItemView({ id, stack, place }: ItemViewProps) {
  const { order } = filterOf(place);
  const view = useView<ShownItem>(addressOf(["api", "quarantine", "show"], { id, order }));
  return (
    <>
      <p>
        <Link to={addressOf(["quarantine"], { order })}>← Quarantine</Link>
        <Meaning of="quarantine" />
      </p>
      {view.problem?.code === "not-found" ? (
        <NotFound />
      ) : (
        <Shown view={view} what="the item">
          {(data) => (
            <>
              <h1>{reasonText(data.item.reason)}</h1>
              <p class="lead">{kindWords[data.item.kind].todo}</p>
              <Details shown={data} />
              <ReadOnly stack={stack} />
              {stack.canChange && <Actions input={() => ({ ids: [id], order })} />}
              <section class="card">
                <h2>Payload</h2>
                <Payload payload={data.payload} />
              </section>
            </>
          )}
        </Shown>
      )}
    </>
  );
}

function NotFound() {
  return (
    <>
      <h1>Not in quarantine</h1>
      <Empty title="It is not in quarantine any more.">
        <p>It was processed or delivered, or a person took it off the list.</p>
      </Empty>
    </>
  );
}

function Actions({ input }: { readonly input: () => object }) {
  return (
    <div class="buttons actions">
      <ChangeButton
        label="Redrive …"
        word="redrive"
        path="/api/quarantine/redrive"
        input={input}
        isPrimary
      />
      <ChangeButton
        label="Dismiss …"
        word="dismissed"
        path="/api/quarantine/dismiss"
        input={input}
      />
    </div>
  );
}

function Details({ shown }: { readonly shown: ShownItem }) {
  const { item } = shown;
  const detail = detailText(item);
  return (
    <section class="card" aria-label="What happened">
      <p class="line">
        <KindBadge kind={item.kind} />
        <code>{item.reason}</code>
      </p>
      {detail !== "" && <p>{detail}</p>}
      <FactList facts={factsOf(shown)} />
    </section>
  );
}
