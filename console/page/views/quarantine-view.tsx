import type { QuarantineView as Quarantine } from "../../routes/quarantine-routes.ts";
import { useChoice } from "../parts/choice.tsx";
import { LookBar } from "../parts/look-bar.tsx";
import { Outside } from "../parts/outside.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import {
  type Filter,
  FilterFields,
  filterOf,
  isShown,
  OrderForm,
  setFilter,
} from "../quarantine/filter.tsx";
import { QuarantinedItemView } from "../quarantine/item.tsx";
import { QuarantineTable } from "../quarantine/list.tsx";
import { Discard, Redrive } from "../quarantine/redrive.tsx";
import { addressOf } from "../router.tsx";
import { useLook } from "../use-look.ts";
import type { ViewProps } from "../view-props.ts";

/** Everything that could not be processed and needs a person. */
export function QuarantineView({ stack, place }: ViewProps) {
  const id = place.path[1];
  return id === undefined ? (
    <QuarantineList stack={stack} place={place} />
  ) : (
    <QuarantinedItemView key={id} id={id} stack={stack} place={place} />
  );
}

function QuarantineList({ stack, place }: ViewProps) {
  const filter = filterOf(place);
  const { order } = filter;
  const view = useLook<Quarantine>(
    addressOf(["api", "quarantine"], { order }),
    addressOf(["api", "quarantine", "look"], { order }),
  );
  return (
    <>
      <h1>Quarantine</h1>
      <p class="lead">Callbacks and events that could not be processed. Nothing of it is lost.</p>
      {order !== undefined && <OneOrder filter={filter} order={order} />}
      <Shown view={view} what="the quarantine">
        {(data) => (
          <>
            <LookBar view={view}>{seenText(data)}</LookBar>
            <Found data={data} filter={filter} stack={stack} />
          </>
        )}
      </Shown>
      {order === undefined && <OrderForm filter={filter} />}
    </>
  );
}

function OneOrder({ filter, order }: { readonly filter: Filter; readonly order: string }) {
  return (
    <div class="notice plain line">
      <span>
        Only what belongs to order <Outside text={order} /> and its payments, also events whose dead
        letter is gone.
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
  readonly data: Quarantine;
  readonly filter: Filter;
}

function Found({ data, filter, stack }: FoundProps) {
  const { items } = data;
  const shown = items.filter((item) => isShown(item, filter));
  const choice = useChoice(items.map(({ id }) => id));
  if (items.length === 0) return <Empty title="Nothing is in quarantine." />;
  return (
    <section class="card" aria-label="In quarantine">
      <div class="tools">
        <FilterFields filter={filter} items={items} />
        {stack.canChange && (
          <Actions chosen={[...choice.chosen]} filter={filter} onDone={choice.clear} />
        )}
      </div>
      <ReadOnly stack={stack} what="redrive or discard" />
      {shown.length === 0 ? (
        <Empty title="Nothing matches.">
          <p>{items.length} are in quarantine.</p>
        </Empty>
      ) : (
        <QuarantineTable
          items={shown}
          choice={choice}
          canChoose={stack.canChange}
          order={filter.order}
        />
      )}
    </section>
  );
}

interface ActionsProps {
  readonly chosen: readonly string[];
  readonly filter: Filter;
  readonly onDone: () => void;
}

/** Chosen items if there are any, otherwise everything, or everything with the chosen reason. */
function Actions({ chosen, filter: { reason, order }, onDone }: ActionsProps) {
  if (chosen.length === 0) {
    const label = reason === undefined ? "Redrive all …" : "Redrive all of this reason …";
    return (
      <div class="buttons">
        <Redrive label={label} selection={() => ({ reason, orderNo: order })} />
      </div>
    );
  }
  return (
    <div class="buttons">
      <Redrive
        label={`Redrive ${chosen.length} …`}
        selection={() => ({ ids: chosen, orderNo: order })}
        isPrimary
        onDone={onDone}
      />
      {order === undefined && (
        <Discard label={`Discard ${chosen.length} …`} ids={chosen} onDone={onDone} />
      )}
    </div>
  );
}

function seenText({ items, more, hiddenLetters, atLimit }: Quarantine): string {
  const seen = more > 0 ? `The newest ${items.length} are listed, ${more} more are older. ` : "";
  if (hiddenLetters === 0) return seen;
  const why = atLimit
    ? "the look came to its limit"
    : "they wait behind another message of the same order, or somebody else holds them";
  return `${seen}About ${hiddenLetters} more dead letters were not seen: ${why}.`;
}
