import { counted } from "../../../shared/counted.ts";
import { Empty, Problem } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { type Filter, FilterFields, filterOf, setFilter } from "../requests/filter.tsx";
import { RequestTable } from "../requests/table.tsx";
import { type Requests, useRequests } from "../requests/use-requests.ts";
import { Link } from "../router.tsx";
import type { ViewProps } from "../view-props.ts";

/** Each request and its answer, from the functions' own log. */
export function RequestsView({ stack, place }: ViewProps) {
  const filter = filterOf(place);
  const found = useRequests(filter, stack.isLive);
  const { requests, isReading, isWhole, problem } = found;
  const reasons = new Set(requests.flatMap(({ reason }) => reason ?? []));
  return (
    <>
      <h1>Requests</h1>
      <p class="lead">
        Every call of <code>POST /callbacks</code> and of the storefront API, newest first, with the
        reason that the caller did not learn.
      </p>
      <section class="card" aria-label="Requests">
        <FilterFields filter={filter} reasons={[...reasons].sort()} />
        {filter.until !== undefined && <Before filter={filter} until={filter.until} />}
        {problem && <Problem error={problem} isOld={requests.length > 0} onRetry={found.refresh} />}
        {requests.length > 0 && (
          <RequestTable {...{ requests, filter }} hasMerchants={stack.merchants.length > 1} />
        )}
        {requests.length === 0 && isWhole && !isReading && <Nothing filter={filter} />}
        <ListEnd found={found} isLive={stack.isLive} />
      </section>
    </>
  );
}

function Before({ filter, until }: { readonly filter: Filter; readonly until: string }) {
  return (
    <div class="notice plain line">
      <span>
        Only before <DateTime at={until} />.
      </span>
      <button
        type="button"
        class="small"
        onClick={() => setFilter({ ...filter, until: undefined })}
      >
        Until now
      </button>
    </div>
  );
}

function Nothing({ filter: { route, answer, reason } }: { readonly filter: Filter }) {
  const isFiltered = [route, answer, reason].some((value) => value !== undefined);
  return isFiltered ? (
    <Empty title="No request in this time matches.">
      <p>
        <Link to="/requests">Show every request of the last hour</Link>
      </p>
    </Empty>
  ) : (
    <Empty title="There was no request in this time.">
      <p>Choose a longer time, or make an order and look again.</p>
    </Empty>
  );
}

/** Says how far the log was read, and leads further back. */
function ListEnd({ found, isLive }: { readonly found: Requests; readonly isLive: boolean }) {
  const { requests, readBackTo, isWhole, isReading, problem } = found;
  const canReadOn = !isReading && !isWhole && readBackTo !== undefined;
  return (
    <div class="look-bar">
      <p class="quiet" role="status">
        {isReading && "Reading … "}
        {readBackTo !== undefined && !isWhole && (
          <>
            Read back to <DateTime at={readBackTo} />, found {requests.length}.
          </>
        )}
        {!isReading &&
          isWhole &&
          requests.length > 0 &&
          `${counted(requests.length, "request")} in this time.`}
      </p>
      <div class="buttons push">
        {isReading && (
          <button type="button" class="small" onClick={found.stop}>
            Stop
          </button>
        )}
        {canReadOn && (
          <button type="button" class="small" onClick={found.readOn}>
            Read further back
          </button>
        )}
        {!isReading && !isLive && problem === undefined && (
          <button type="button" class="small" onClick={found.refresh}>
            Look again
          </button>
        )}
      </div>
    </div>
  );
}
