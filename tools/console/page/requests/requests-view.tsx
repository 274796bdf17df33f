import { useState } from "preact/hooks";
import { counted } from "../../../../shared/number-text.ts";
import {
  type AnswerClass,
  answerClasses,
  routeNames,
} from "../../../operations/requests/answers.ts";
import { Field, FilterSelect, Select, setFilter } from "../parts/fields.tsx";
import { Empty, Limited, Problem } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { Link, type Query, setQuery, usePlace } from "../router.tsx";
import { useStack } from "../use-view.ts";
import { RequestTable } from "./request-table.tsx";
import { type Requests, useRequests } from "./use-requests.ts";

/** Each request and its answer, from the functions' own log. */
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
        Every call of <code>POST /callbacks</code> and of the storefront API, newest first, with the
        reason that the caller did not learn.
      </p>
      <section class="card" aria-label="Requests">
        <FilterFields query={query} reasons={[...reasons].sort()} />
        {until !== undefined && (
          <Limited end="Until now" onEnd={() => setQuery({ until: undefined })}>
            Only before <DateTime at={until} />.
          </Limited>
        )}
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
  readonly query: Query;
  /** What was found so far. */
  readonly reasons: readonly string[];
}

function FilterFields({ query, reasons }: FilterFieldsProps) {
  const { answer, reason, since = "1h" } = query;
  // The page is drawn again while somebody types, whenever requests arrive.
  const [typed, setTyped] = useState<string>();
  const known = answer === undefined || [...answerClasses, ...statuses].includes(answer);
  return (
    <div class="tools">
      <FilterSelect
        name="route"
        label="Route"
        all="Every route"
        options={routeNames.map((name) => [name, routeTitles[name]])}
      />
      <FilterSelect
        name="answer"
        label="Answer"
        all="Every answer"
        options={[
          ...answerClasses.map((name) => [name, answerTitles[name]] as const),
          ...[...statuses, ...(known ? [] : [answer])].map((status) => [status, status] as const),
        ]}
      />
      <Field
        label="Reason"
        type="search"
        list="reasons"
        value={typed ?? reason ?? ""}
        maxLength={100}
        placeholder="wrong-signature, 40103, …"
        onText={setTyped}
        onChange={({ currentTarget }) => {
          setTyped(undefined);
          setFilter({ reason: currentTarget.value.trim() });
        }}
      />
      <datalist id="reasons">
        {reasons.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Select
        label="Last"
        value={since}
        options={times.some(([name]) => name === since) ? times : [...times, [since, since]]}
        onChange={(chosen) => setFilter({ since: chosen, until: undefined })}
      />
    </div>
  );
}
