import { problemDescriptions } from "../../../../shared/storefront/problem-kinds.ts";
import { reasonWords } from "../../../operations/reason-words.ts";
import { problemOf, serviceCodeOf } from "../../../operations/requests/answers.ts";
import type { ListedRequest } from "../../../operations/requests/requests.ts";
import { Badge, OrderLink, Outside, type Tone } from "../parts/elements.tsx";
import { FactList, type PageFacts } from "../parts/report.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useStack } from "../use-view.ts";

const tones: Readonly<Record<ListedRequest["answer"], Tone>> = {
  answered: "good",
  refused: "bad",
  "wrong-request": "open",
  failed: "bad",
};

interface RequestTableProps {
  readonly requests: readonly ListedRequest[];
  /** The id of the request whose details are open. */
  readonly open: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

export function RequestTable({ requests, open, onOpen }: RequestTableProps) {
  const hasMerchants = useStack().merchants.length > 1;
  const isOpen = ({ line }: ListedRequest) => line.id === open;
  const timeButton = (request: ListedRequest) => (
    <button
      type="button"
      class="row-button"
      aria-expanded={isOpen(request)}
      onClick={() => onOpen(isOpen(request) ? undefined : request.line.id)}
    >
      <DateTime at={request.line.at} />
    </button>
  );
  const merchantCell = ({ line }: ListedRequest) => <Outside text={line.merchantId ?? "–"} />;
  return (
    <Table
      class="requests"
      rows={requests}
      idOf={({ line }) => line.id}
      rowClass={(request) => (isOpen(request) ? "open" : undefined)}
      below={(request) => isOpen(request) && <FactList facts={factsOf(request)} />}
      columns={[
        { head: "Time", look: "wide", cell: timeButton },
        ...columns,
        hasMerchants && { head: "Merchant", look: "name", cell: merchantCell },
        { head: "Took", look: "number", cell: ({ line }) => tookText(line) },
      ]}
    />
  );
}

const columns: readonly Column<ListedRequest>[] = [
  { head: "Request", cell: ({ route }) => route },
  {
    head: "Answer",
    cell: ({ answer, line }) => <Badge tone={tones[answer]}>{line.httpStatus}</Badge>,
  },
  {
    head: "Reason",
    cell: ({ reason, line }) => {
      const why = [reason, serviceCodeOf(line)].filter((part) => part !== undefined);
      return why.length === 0 ? "–" : <code>{why.join(" ")}</code>;
    },
  },
  { head: "About", cell: ({ line }) => <About line={line} /> },
];

function tookText({ durationMilliseconds: took }: ListedRequest["line"]): string {
  return took === undefined ? "–" : `${took} ms`;
}

/** Every field of a request's log line. */
function factsOf({ line, answer, reason }: ListedRequest): PageFacts {
  return [
    ["Answer", `HTTP ${line.httpStatus}, ${answer.replace("-", " ")}`],
    ["Why", whyOf(reason)],
    ["Detail", line.detail],
    ["Merchant", line.merchantId],
    ["Order", line.orderNo === undefined ? undefined : <About line={line} />],
    ["Payment", found(line.paymentId)],
    ...(line.service === "receive-callback" ? callbackFacts(line) : storefrontFacts(line)),
    ["Stage", line.stage],
    ["Problem", problemOf(line)],
    ["Error", line.errorName],
    ["Function", line.service],
    ["Outcome", line.outcome],
  ];
}

type Line = ListedRequest["line"];

function callbackFacts(line: Extract<Line, { service: "receive-callback" }>): PageFacts {
  const { callbackId, claimedCallbackId, eventName, keyStage, keyVersion, traceparent } = line;
  return [
    ["Callback", found(callbackId)],
    ["Claims to be callback", found(claimedCallbackId)],
    ["Event", eventName],
    ["Verified by", keyStage && `the ${keyStage} keys`],
    ["Key version", keyVersion === undefined ? undefined : { id: keyVersion }],
    ["Trace", traceparent === undefined ? undefined : { id: traceparent }],
  ];
}

function storefrontFacts(line: Exclude<Line, { service: "receive-callback" }>): PageFacts {
  return [
    ["Service's code", line.serviceCode],
    ["Service's status", line.serviceStatus],
    ["Flags", line.flags?.join(", ")],
  ];
}

/** An id with a link to what it identifies. */
function found(id: string | undefined) {
  if (id === undefined) return undefined;
  return (
    <Link to={addressOf(["find"], { text: id })}>
      <Outside text={id} />
    </Link>
  );
}

const problemTitles: Readonly<Record<string, { readonly title: string }>> = problemDescriptions;

/** The reason in words, if it has any. */
function whyOf(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined;
  return reasonWords(reason) ?? problemTitles[reason]?.title ?? reason;
}

/** A link to the order or payment of a request. */
function About({ line }: Pick<ListedRequest, "line">) {
  const { merchantId, orderNo, paymentId } = line;
  if (orderNo !== undefined && merchantId !== undefined) {
    return <OrderLink orderNo={orderNo} merchantId={merchantId} />;
  }
  if (orderNo !== undefined) return <Outside text={orderNo} />;
  if (paymentId === undefined) return <span class="quiet">–</span>;
  return (
    <Link to={addressOf(["find"], { text: paymentId })}>
      payment <Outside text={paymentId} />
    </Link>
  );
}
