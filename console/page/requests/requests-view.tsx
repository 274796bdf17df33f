import {
  type AnswerClass,
  answerClasses,
  routeNames,
} from "../../../operations/requests/answers.ts";
import { counted } from "../../../shared/counted.ts";
import { Select } from "../parts/fields.tsx";
import { Empty, Problem } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, go, Link, type Place, type ViewProps } from "../router.tsx";
import { RequestTable } from "./request-table.tsx";
import { type Requests, useRequests } from "./use-requests.ts";

/** Each request and its answer, from the functions' own log. */
export function RequestsView({ stack, place }: ViewProps) {
  const filter = filterOf(place);
  const { open, ...asked } = filter;
  const found = useRequests(asked, stack.isLive);
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
          <RequestTable
            requests={requests}
            open={open}
            onOpen={(next) => setFilter({ ...filter, open: next })}
            hasMerchants={stack.merchants.length > 1}
          />
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
  const title = isFiltered
    ? "No request in this time matches."
    : "There was no request in this time.";
  return (
    <Empty title={title}>
      <p>
        {isFiltered ? (
          <Link to="/requests">Show every request of the last hour</Link>
        ) : (
          "Choose a longer time, or make an order and look again."
        )}
      </p>
    </Empty>
  );
}

/** Says how far the log was read, and leads further back. */
function ListEnd({ found, isLive }: { readonly found: Requests; readonly isLive: boolean }) {
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
        {isReading && "Reading … "}
        {isPart && (
          <>
            Read back to <DateTime at={readBackTo} />, found {requests.length}.
          </>
        )}
        {isAll && `${counted(requests.length, "request")} in this time.`}
      </p>
      <div class="buttons push">
        {isReading && button("Stop", found.stop)}
        {isPart && !isReading && button("Read further back", found.readOn)}
        {!isReading && !isLive && problem === undefined && button("Look again", found.refresh)}
      </div>
    </div>
  );
}

type Filter = ReturnType<typeof filterOf>;

/** What the list is limited to, and which request is open. It is in the address, so that a reload and a shared link show the same. */
function filterOf({ query }: Place) {
  const given = (name: string) => query.get(name) ?? undefined;
  return {
    ...{ route: given("route"), answer: given("answer"), reason: given("reason") },
    ...{ since: given("since"), until: given("until"), open: given("open") },
  };
}

function setFilter(filter: Filter): void {
  go(addressOf(["requests"], { ...filter }), { replace: true });
}

const routeTitles: Readonly<Record<(typeof routeNames)[number], string>> = {
  callbacks: "POST /callbacks",
  storefront: "Storefront API",
  "create-order": "Storefront: create",
  "query-order": "Storefront: ask",
};

const answerTitles: Readonly<Record<AnswerClass, string>> = {
  answered: "Answered",
  refused: "Refused",
  "wrong-request": "Wrong request",
  failed: "Failed",
};

/** Statuses that the functions answer with; another one can be in the address. */
const statuses = ["200", "201", "400", "401", "403", "404", "409", "413", "502", "503", "504"];

const times: readonly (readonly [string, string])[] = [
  ["15m", "15 minutes"],
  ["1h", "Hour"],
  ["1d", "Day"],
  ["7d", "Week"],
];

interface FilterFieldsProps {
  readonly filter: Filter;
  /** What was found so far. */
  readonly reasons: readonly string[];
}

function FilterFields({ filter, reasons }: FilterFieldsProps) {
  const set = (changed: Partial<Filter>) => setFilter({ ...filter, open: undefined, ...changed });
  const { answer, since = "1h" } = filter;
  const known = answer === undefined || [...answerClasses, ...statuses].includes(answer);
  return (
    <div class="tools">
      <Select
        {...{ label: "Route", all: "Every route", value: filter.route }}
        options={routeNames.map((name) => [name, routeTitles[name]])}
        onChange={(route) => set({ route })}
      />
      <Select
        {...{ label: "Answer", all: "Every answer", value: answer }}
        options={[
          ...answerClasses.map((name) => [name, answerTitles[name]] as const),
          ...[...statuses, ...(known ? [] : [answer])].map((status) => [status, status] as const),
        ]}
        onChange={(chosen) => set({ answer: chosen })}
      />
      <label>
        Reason
        <input
          type="search"
          list="reasons"
          value={filter.reason ?? ""}
          maxLength={100}
          placeholder="wrong-signature, 40103, …"
          onChange={({ currentTarget }) => set({ reason: currentTarget.value.trim() || undefined })}
        />
        <datalist id="reasons">
          {reasons.map((reason) => (
            <option key={reason} value={reason} />
          ))}
        </datalist>
      </label>
      <Select
        {...{ label: "Last", value: since }}
        options={times.some(([name]) => name === since) ? times : [...times, [since, since]]}
        onChange={(chosen) => set({ since: chosen, until: undefined })}
      />
    </div>
  );
}
