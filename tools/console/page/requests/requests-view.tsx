import { counted } from "../../../../shared/text/number-text.ts";
import { FormFields } from "../described/form.tsx";
import { useOperation } from "../parts/command.tsx";
import { setFilter } from "../parts/fields.tsx";
import { Empty, Problem } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { Link, type Query, setQuery, usePlace } from "../router.tsx";
import { useStack } from "../use-view.ts";
import { RequestTable } from "./request-table.tsx";
import { type Requests, useRequests } from "./use-requests.ts";

/** Each request and its response, from the functions' logs. */
export function RequestsView() {
  const { query } = usePlace();
  const { open, route, answer, reason, since, until } = query;
  const found = useRequests({ route, answer, reason, since, until }, useStack().isLive);
  const { requests, isReading, isWhole, problem } = found;
  const reasons = new Set(requests.flatMap((request) => request.reason ?? []));
  return (
    <>
      <h1>Requests</h1>
      <p class="lead">
        Every call to <code>POST /callbacks</code> and the storefront API, newest first, with the
        reason for a rejection. The caller does not see that reason.
      </p>
      <section class="card" aria-label="Requests">
        <FilterFields query={query} reasons={[...reasons].sort()} />
        {problem && <Problem error={problem} isOld={requests.length > 0} onRetry={found.refresh} />}
        {requests.length > 0 && (
          <RequestTable
            requests={requests}
            open={open}
            onOpen={(next) => setQuery({ open: next })}
          />
        )}
        {requests.length === 0 && isWhole && !isReading && <Nothing query={query} />}
        <ListEnd found={found} />
      </section>
    </>
  );
}

function Nothing({ query: { route, answer, reason } }: { readonly query: Query }) {
  const isFiltered = [route, answer, reason].some((value) => value !== undefined);
  const title = isFiltered ? "No request in this time matches." : "No requests in this time.";
  return (
    <Empty title={title}>
      <p>
        {isFiltered ? (
          <Link to="/requests">Show every request of the last hour</Link>
        ) : (
          "Choose a longer time, or create an order."
        )}
      </p>
    </Empty>
  );
}

/** Says how far back the log was searched, and continues from there. */
function ListEnd({ found }: { readonly found: Requests }) {
  const { isLive } = useStack();
  const { requests, readBackTo, isWhole, isReading, problem } = found;
  const isAll = isWhole && !isReading && requests.length > 0;
  const isPart = !isWhole && readBackTo !== undefined;
  const button = (text: string, act: () => void) => (
    <button type="button" class="small" onClick={act}>
      {text}
    </button>
  );
  return (
    <div class="look-bar">
      <p class="quiet" role="status">
        {isReading && "Searching … "}
        {isPart && (
          <>
            Searched back to <DateTime at={readBackTo} />: {requests.length} found.
          </>
        )}
        {isAll && `${counted(requests.length, "request")} in this time.`}
      </p>
      <div class="buttons push">
        {isReading && button("Stop", found.stop)}
        {isPart && !isReading && button("Search further back", found.readOn)}
        {!isReading && !isLive && problem === undefined && button("Refresh", found.refresh)}
      </div>
    </div>
  );
}

/** The page searches in short steps and sets these two itself. */
const ownFields = ["limit", "calls"];

interface FilterFieldsProps {
  readonly query: Query;
  /** The reasons found so far. */
  readonly reasons: readonly string[];
}

function FilterFields({ query, reasons }: FilterFieldsProps) {
  const { fields } = useOperation("/api/requests");
  const shown = fields.filter(({ name }) => !ownFields.includes(name));
  const given = shown.flatMap(({ name }) => {
    const value = query[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return (
    <FormFields
      fields={shown}
      values={Object.fromEntries(given)}
      onChange={(name, value) => setFilter({ [name]: String(value) })}
      isFilter
      proposals={{ reason: reasons }}
    />
  );
}
