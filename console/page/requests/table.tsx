import { serviceCodeOf } from "../../../operations/requests/answers.ts";
import type { ListedRequest } from "../../../operations/requests/requests.ts";
import { Outside } from "../parts/outside.tsx";
import { Badge, type Tone } from "../parts/small.tsx";
import { DateTime } from "../parts/time.tsx";
import { About, RequestDetails } from "./details.tsx";
import { type Filter, setFilter } from "./filter.tsx";

const tones: Readonly<Record<ListedRequest["answer"], Tone>> = {
  answered: "good",
  refused: "bad",
  "wrong-request": "open",
  failed: "bad",
};

interface TableProps {
  readonly requests: readonly ListedRequest[];
  readonly filter: Filter;
  readonly hasMerchants: boolean;
}

export function RequestTable({ requests, filter, hasMerchants }: TableProps) {
  return (
    <table class="requests">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Request</th>
          <th scope="col">Answer</th>
          <th scope="col">Reason</th>
          <th scope="col">About</th>
          {hasMerchants && <th scope="col">Merchant</th>}
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <Row key={request.line.id} {...{ request, filter, hasMerchants }} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Omit<TableProps, "requests"> {
  readonly request: ListedRequest;
}

function Row({ request, filter, hasMerchants }: RowProps) {
  const { line, route, answer, reason } = request;
  const { id, merchantId, httpStatus, durationMilliseconds: took } = line;
  const isOpen = filter.open === id;
  const toggle = () => setFilter({ ...filter, open: isOpen ? undefined : id });
  const why = [reason, serviceCodeOf(line)].filter((part) => part !== undefined);
  return (
    <>
      <tr class={isOpen ? "open" : undefined}>
        <td class="wide">
          <button type="button" class="row-button" aria-expanded={isOpen} onClick={toggle}>
            <DateTime at={line.at} />
          </button>
        </td>
        <td data-label="Request">{route}</td>
        <td data-label="Answer">
          <span>
            <Badge tone={tones[answer]}>{httpStatus}</Badge>
          </span>
        </td>
        <td data-label="Reason">{why.length === 0 ? "–" : <code>{why.join(" ")}</code>}</td>
        <td data-label="About">
          <About line={line} />
        </td>
        {hasMerchants && (
          <td data-label="Merchant" class="name">
            <Outside text={merchantId ?? "–"} />
          </td>
        )}
        <td data-label="Took" class="number">
          {took === undefined ? "–" : `${took} ms`}
        </td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td class="wide" colSpan={hasMerchants ? 7 : 6}>
            <RequestDetails request={request} />
          </td>
        </tr>
      )}
    </>
  );
}
