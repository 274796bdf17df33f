import {
  type AnswerClass,
  answerClasses,
  routeNames,
} from "../../../operations/requests/answers.ts";
import { Select } from "../parts/select.tsx";
import { addressOf, go, type Place } from "../router.tsx";

/** What the list is limited to, and which request is open. It is in the address, so that a reload and a shared link show the same. */
export interface Filter {
  readonly route: string | undefined;
  readonly answer: string | undefined;
  readonly reason: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly open: string | undefined;
}

export function filterOf({ query }: Place): Filter {
  const given = (name: string) => query.get(name) ?? undefined;
  return {
    ...{ route: given("route"), answer: given("answer"), reason: given("reason") },
    ...{ since: given("since"), until: given("until"), open: given("open") },
  };
}

export function setFilter(filter: Filter): void {
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

export function FilterFields({ filter, reasons }: FilterFieldsProps) {
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
