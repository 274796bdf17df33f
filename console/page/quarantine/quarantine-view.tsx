import type { QuarantineList } from "../../../operations/quarantine/quarantine.ts";
import { useChoice } from "../parts/fields.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ChangeButton } from "../parts/report.tsx";
import { Outside } from "../parts/small.tsx";
import { Empty, InLab, ReadOnly, Shown } from "../parts/states.tsx";
import { addressOf, Link, type ViewProps } from "../router.tsx";
import { useView } from "../use-view.ts";
import { type Filter, FilterFields, filterOf, isShown, OrderForm, setFilter } from "./filter.tsx";
import { QuarantinedItemView, QuarantineTable } from "./items.tsx";

/** Everything that needs a person, or waits for a subscriber. */
export function QuarantineView({ stack, place }: ViewProps) {
  const id = place.path[1];
  return id === undefined ? (
    <QuarantineListView stack={stack} place={place} />
  ) : (
    <QuarantinedItemView key={id} id={id} stack={stack} place={place} />
  );
}

function QuarantineListView({ stack, place }: ViewProps) {
  const filter = filterOf(place);
  const { order, kind, reason, subscriber } = filter;
  const asked = { kind, reason, subscriber, order, limit: "500" };
  const view = useView<QuarantineList>(addressOf(["api", "quarantine", "list"], asked));
  return (
    <>
      <h1>
        Quarantine <Meaning of="quarantine" />
      </h1>
      <p class="lead">
        Callbacks that could not be understood, and events that a subscriber's queue refuses.
        Nothing of it is lost.
      </p>
      {order !== undefined && <OneOrder filter={filter} order={order} />}
      <Shown view={view} what="the quarantine">
        {(data) => <Found data={data} filter={filter} stack={stack} />}
      </Shown>
      {order === undefined && <OrderForm filter={filter} />}
    </>
  );
}

function OneOrder({ filter, order }: { readonly filter: Filter; readonly order: string }) {
  return (
    <div class="notice plain line">
      <span>
        Only what belongs to order <Outside text={order} /> and its payments, also events that
        nothing tried to deliver.
      </span>
      <button
        type="button"
        class="small"
        onClick={() => setFilter({ ...filter, order: undefined }, false)}
      >
        Show everything
      </button>
    </div>
  );
}

interface FoundProps extends Pick<ViewProps, "stack"> {
  readonly data: QuarantineList;
  readonly filter: Filter;
}

function Found({ data, filter, stack }: FoundProps) {
  const { items, more, isMore } = data;
  const { kind, reason, subscriber } = filter;
  const shown = items.filter((item) => isShown(item, filter));
  const choice = useChoice(items.map(({ id }) => id));
  const isFiltered = [kind, reason, subscriber].some((value) => value !== undefined);
  if (items.length === 0 && !isFiltered) {
    return (
      <Empty title="Nothing is in quarantine.">
        <p>Every callback was understood, and every subscriber's queue takes its events.</p>
        <InLab stack={stack}>
          To practise, switch on the fault unknown-event and pay an order.
        </InLab>
      </Empty>
    );
  }
  return (
    <section class="card" aria-label="In quarantine">
      <div class="tools">
        <FilterFields filter={filter} items={items} configured={stack.subscribers} />
        {stack.canChange && (
          <Actions
            chosen={[...choice.chosen]}
            searched={filter.text.trim() === "" ? undefined : shown.map(({ id }) => id)}
            filter={filter}
            onDone={choice.clear}
          />
        )}
      </div>
      <ReadOnly stack={stack} />
      {more > 0 && (
        <p class="quiet">
          The newest {items.length} are listed, {isMore ? "at least " : ""}
          {more} more are older.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty title="Nothing matches.">
          <p>
            <Link to="/quarantine">Show everything</Link>
          </p>
        </Empty>
      ) : (
        <QuarantineTable
          items={shown}
          choice={stack.canChange ? choice : undefined}
          order={filter.order}
        />
      )}
    </section>
  );
}

interface ActionsProps {
  readonly chosen: readonly string[];
  /** What a search in the list has left. The server does not know that search. */
  readonly searched: readonly string[] | undefined;
  readonly filter: Filter;
  readonly onDone: () => void;
}

/** Chosen items if there are any, otherwise what the search or the filter leaves. */
function Actions({ chosen, searched, filter, onDone }: ActionsProps) {
  const { kind, reason, subscriber, order } = filter;
  const isChosen = chosen.length > 0;
  const ids = isChosen ? chosen : searched;
  const scope = { kind, reason, subscriber, order };
  const input = () => (ids === undefined ? { ...scope, all: true } : { ids, order });
  if (ids?.length === 0) return null;
  const which = ids === undefined ? "all" : String(ids.length);
  return (
    <div class="buttons">
      <ChangeButton
        label={`Redrive ${which} …`}
        word="redrive"
        path="/api/quarantine/redrive"
        {...{ input, onDone, isPrimary: isChosen }}
      />
      <ChangeButton
        label={`Dismiss ${which} …`}
        word="dismissed"
        path="/api/quarantine/dismiss"
        {...{ input, onDone }}
      />
    </div>
  );
}
