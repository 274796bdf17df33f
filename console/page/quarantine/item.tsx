import { indentJson } from "../../../shared/indent-json.ts";
import type { QuarantinedView } from "../../routes/quarantine-routes.ts";
import { LookBar } from "../parts/look-bar.tsx";
import { Outside } from "../parts/outside.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { Badge, Id, Json } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useLook } from "../use-look.ts";
import type { ViewProps } from "../views/page-views.tsx";
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
  const back = <Link to={addressOf(["quarantine"], { order })}>← Quarantine</Link>;
  if (view.problem?.code === "not-found") {
    return (
      <>
        <p>{back}</p>
        <h1>Not in quarantine</h1>
        <Empty title="It is not in quarantine any more.">
          <p>It was processed or discarded, or the last look did not see it.</p>
        </Empty>
      </>
    );
  }
  return (
    <>
      <p>{back}</p>
      <Shown view={view} what="the item">
        {(data) => (
          <>
            <h1>{reasonText(data.item)}</h1>
            <LookBar view={view} />
            <Details shown={data} />
            <ReadOnly stack={stack} what="redrive or discard it" />
            {stack.canChange && (
              <div class="buttons actions">
                <Redrive
                  label="Redrive …"
                  selection={() => ({ ids: [id], orderNo: order })}
                  isPrimary
                />
                <Discard label="Discard …" ids={[id]} />
              </div>
            )}
            <section class="card">
              <h2>Payload</h2>
              <Payload shown={data} />
            </section>
          </>
        )}
      </Shown>
    </>
  );
}

function Details({ shown }: { readonly shown: QuarantinedView }) {
  const { item, eventName, keyVersion, traceparent, receiveCount } = shown;
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
      <dl>
        <dt>About</dt>
        <dd>
          <About item={item} />
        </dd>
        <Entry name="Merchant" value={item.merchantId} />
        <Entry name="Event name" value={eventName} />
        <dt>Put aside</dt>
        <dd>
          <Ago at={item.at} />
        </dd>
        {item.receivedAt !== undefined && (
          <>
            <dt>Received</dt>
            <dd>
              <Ago at={item.receivedAt} />
            </dd>
          </>
        )}
        <dt>Kept as</dt>
        <dd>
          {places[item.where]}
          {receiveCount !== undefined && `, looked at ${receiveCount} times`}
        </dd>
        <IdEntry name="Callback" value={item.callbackId} what="callback id" />
        <IdEntry name="Key version" value={keyVersion} what="key version" />
        <IdEntry name="Trace" value={traceparent} what="trace" />
        <IdEntry name="Id" value={item.id} what="id" />
      </dl>
    </section>
  );
}

interface EntryProps {
  readonly name: string;
  readonly value: string | undefined;
}

function Entry({ name, value }: EntryProps) {
  if (value === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Outside text={value} />
      </dd>
    </>
  );
}

function IdEntry({ name, value, what }: EntryProps & { readonly what: string }) {
  if (value === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Id text={value} what={what} />
      </dd>
    </>
  );
}

/** Indented, but not changed: every digit stays, since a digit may be the reason. */
function Payload({ shown: { payload } }: { readonly shown: QuarantinedView }) {
  if ("base64" in payload) {
    return (
      <>
        <p class="quiet">These bytes are not text. As base64:</p>
        <Json value={payload.base64} what="payload as base64" />
      </>
    );
  }
  const indented = indentJson(payload.text);
  return (
    <>
      {indented === undefined && <p class="quiet">This text is not JSON.</p>}
      <Json value={indented ?? payload.text} what="payload" />
    </>
  );
}
