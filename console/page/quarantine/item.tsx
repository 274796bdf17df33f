import type { QuarantinedView } from "../../routes/quarantine-routes.ts";
import { Fact, IdFact, TextFact, TimeFact } from "../parts/fact.tsx";
import { LookBar } from "../parts/look-bar.tsx";
import { Payload } from "../parts/payload.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { Badge } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useLook } from "../use-look.ts";
import type { ViewProps } from "../view-props.ts";
import { About } from "./about.tsx";
import { filterOf } from "./filter.tsx";
import { Discard, Redrive } from "./redrive.tsx";
import { kinds, missingText, places, reasonText } from "./words.ts";

interface ItemViewProps extends ViewProps {
  readonly id: string;
}

/** One thing in quarantine, with its payload. */
export function QuarantinedItemView({ id, stack, place }: ItemViewProps) {
  const { order } = filterOf(place);
  const view = useLook<QuarantinedView>(
    addressOf(["api", "quarantine", "items", id], { order }),
    addressOf(["api", "quarantine", "look"], { order }),
  );
  return (
    <>
      <p>
        <Link to={addressOf(["quarantine"], { order })}>← Quarantine</Link>
      </p>
      {view.problem?.code === "not-found" ? (
        <NotFound />
      ) : (
        <Shown view={view} what="the item">
          {(data) => (
            <>
              <h1>{reasonText(data.item)}</h1>
              <LookBar view={view} />
              <Details shown={data} />
              <ReadOnly stack={stack} what="redrive or discard it" />
              {stack.canChange && <Actions id={id} order={order} />}
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
        <p>It was processed or discarded, or the last look did not see it.</p>
      </Empty>
    </>
  );
}

interface ActionsProps {
  readonly id: string;
  readonly order: string | undefined;
}

/** What was found by its order alone has no dead letter to discard. */
function Actions({ id, order }: ActionsProps) {
  return (
    <div class="buttons actions">
      <Redrive label="Redrive …" selection={() => ({ ids: [id], orderNo: order })} isPrimary />
      {order === undefined && <Discard label="Discard …" ids={[id]} />}
    </div>
  );
}

interface ShownProps {
  readonly shown: QuarantinedView;
}

function Details({ shown }: ShownProps) {
  const { item } = shown;
  const { title, tone, todo } = kinds[item.kind];
  const missing = missingText(item);
  return (
    <section class="card" aria-label="What happened">
      <p class="line">
        <Badge tone={tone}>{title}</Badge>
        {item.reason !== undefined && <code>{item.reason}</code>}
      </p>
      {item.detail !== undefined && <p>{item.detail}</p>}
      {missing !== undefined && <p class="bad-text">{missing}</p>}
      <p>{todo}</p>
      <Facts shown={shown} />
    </section>
  );
}

function Facts({ shown }: ShownProps) {
  const { item, eventName, keyVersion, traceparent, receiveCount } = shown;
  const looked = receiveCount === undefined ? "" : `, looked at ${receiveCount}×`;
  return (
    <dl>
      <Fact name="About">
        <About item={item} />
      </Fact>
      <TextFact name="Merchant" value={item.merchantId} />
      <TextFact name="Event name" value={eventName} />
      <TimeFact name="Put aside" value={item.at} />
      <TimeFact name="Received" value={item.receivedAt} />
      <Fact name="Kept as">{`${places[item.where]}${looked}`}</Fact>
      <IdFact name="Callback" value={item.callbackId} />
      <IdFact name="Key version" value={keyVersion} />
      <IdFact name="Trace" value={traceparent} />
      <IdFact name="Id" value={item.id} />
    </dl>
  );
}
