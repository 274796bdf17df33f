import { serviceCodeOf } from "../../../operations/requests/answers.ts";
import type { ListedRequest } from "../../../operations/requests/requests.ts";
import { problemDescriptions } from "../../../shared/storefront/problem-kinds.ts";
import { Fact, IdFact, TextFact } from "../parts/details.tsx";
import { Badge, OrderLink, Outside, type Tone } from "../parts/small.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";

const tones: Readonly<Record<ListedRequest["answer"], Tone>> = {
  answered: "good",
  refused: "bad",
  "wrong-request": "open",
  failed: "bad",
};

interface RequestTableProps {
  readonly requests: readonly ListedRequest[];
  /** The id of the request that is shown whole. */
  readonly open: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  readonly hasMerchants: boolean;
}

export function RequestTable({ requests, open, onOpen, hasMerchants }: RequestTableProps) {
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
      below={(request) => isOpen(request) && <RequestDetails request={request} />}
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
    cell: ({ answer, line }) => (
      <span>
        <Badge tone={tones[answer]}>{line.httpStatus}</Badge>
      </span>
    ),
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

/** Everything that the line of a request tells. */
function RequestDetails({ request }: { readonly request: ListedRequest }) {
  const { line, answer, reason } = request;
  const isCallback = line.service === "receive-callback";
  return (
    <dl>
      <Fact name="Answer">
        HTTP {line.httpStatus}, {answer.replace("-", " ")}
      </Fact>
      <TextFact name="Why" value={whyOf(reason)} />
      <TextFact name="Detail" value={line.detail} />
      <TextFact name="Merchant" value={line.merchantId} />
      {line.orderNo !== undefined && (
        <Fact name="Order">
          <About line={line} />
        </Fact>
      )}
      <FindFact name="Payment" id={line.paymentId} />
      {isCallback && <CallbackFacts line={line} />}
      {!isCallback && (
        <>
          <TextFact name="Service's code" value={line.serviceCode} />
          <TextFact name="Service's status" value={line.serviceStatus} />
          <TextFact name="Flags" value={line.flags?.join(", ")} />
        </>
      )}
      <TextFact name="Error" value={line.errorName} />
      <TextFact name="Error code" value={line.errorCode} />
      <TextFact name="Function" value={line.service} />
      <TextFact name="Outcome" value={line.outcome} />
    </dl>
  );
}

interface CallbackFactsProps {
  readonly line: Extract<ListedRequest["line"], { service: "receive-callback" }>;
}

function CallbackFacts({ line }: CallbackFactsProps) {
  const { callbackId, claimedCallbackId, eventName, keyStage, keyVersion, traceparent } = line;
  return (
    <>
      <FindFact name="Callback" id={callbackId} />
      <FindFact name="Claims to be callback" id={claimedCallbackId} />
      <TextFact name="Event" value={eventName} />
      <TextFact name="Verified by" value={keyStage && `the ${keyStage} keys`} />
      <IdFact name="Key version" value={keyVersion} />
      <IdFact name="Trace" value={traceparent} />
    </>
  );
}

interface FindFactProps {
  readonly name: string;
  readonly id: string | undefined;
}

/** An id, with the way to what it stands for. */
function FindFact({ name, id }: FindFactProps) {
  if (id === undefined) return null;
  return (
    <Fact name={name}>
      <Link to={addressOf(["find"], { text: id })}>
        <Outside text={id} />
      </Link>
    </Fact>
  );
}

const problemTitles: Readonly<Record<string, { readonly title: string }>> = problemDescriptions;

/** The reason in words, if there are some. */
function whyOf(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined;
  return refusalWords(reason) ?? problemTitles[reason]?.title ?? reason;
}

/** The order or payment of a request, with the way there. */
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

/** Why receive-callback refused a request, for a person. The sender learns none of it. */
const words: Readonly<Record<string, string>> = {
  "source-not-allowed": "The sender's address is not one that the config allows.",
  "too-large": "The request is larger than 256 KiB.",
  "empty-body": "The body is empty. npx paycast check sends such a request.",
  "not-base64": "The body is not what API Gateway said it is.",
  "not-utf-8": "The body is not UTF-8.",
  "not-json": "The body is not JSON.",
  "not-an-envelope": "The body is not a callback.",
  "unknown-merchant": "It names a merchant that this stack does not have.",
  "cannot-decrypt": "The body does not decrypt with the merchant's AES key.",
  "wrong-signature": "The signature is not one of the service's key.",
  "merchant-differs": "The result object inside is for another merchant.",
  "too-old": "The timestamp is too old: somebody may have sent an old callback again.",
  "too-new": "The timestamp is in the future.",
  "keys-unset": "The merchant has no keys yet.",
  "keys-invalid": "The merchant's keys cannot be read.",
  "keys-unreachable": "Secrets Manager did not give the merchant's keys.",
  "inbox-unavailable": "The inbox did not take it.",
};

/** Undefined if there is nothing to add to the code. */
export function refusalWords(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : words[reason];
}
