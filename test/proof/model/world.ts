import { expect } from "vitest";
import type { PaycastEvent } from "../../../shared/events/event.ts";
import { groupOf, type Subject } from "../../../shared/facts/subject.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { writeInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { loadOrder, loadPayment } from "../../../shared/orders/aggregate-store.ts";
import { refundedTotal } from "../../../shared/orders/payment.ts";
import type { QueuedMessage } from "../../../shared/processing/process-batch.ts";
import { orderResult, refundResult } from "../../builders/callback.ts";
import { stamped } from "../../builders/stamp.ts";
import * as model from "./definitions.ts";
import type { Callback, Refund, Step } from "./history.ts";
import { type Fault, merchantId, noFault, orderNo, startProduct } from "./product.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 15);
const payments = [1, 2, 3];

interface Message {
  readonly queued: QueuedMessage;
  readonly entry: model.Statement | undefined;
}

type Fact = Pick<model.Statement, "subject" | "part" | "status" | "amount">;

/** Plays a history on the product, and records what was reported. Each step moves the clock by an hour. */
export function startWorld(namesTransactions: boolean) {
  let clock = start;
  const list: model.Entry[] = [];
  const product = startProduct(() => clock);
  const seen: Message[] = [];
  let waiting: Message[] = [];
  const attempts = () => list.filter((entry) => entry.kind === "begun");
  // Half of the attempts are paid with a wrong amount.
  const amountOf = (time: number) => ((time / hour) % 2 >= 1 ? 999 : model.expectedMinor);

  async function take(step: Step, fault: Fault): Promise<void> {
    clock += hour;
    if (step.kind === "create") await create(step.end, step.meanwhile, fault);
    else if (step.kind === "query") await query(step.status, fault);
    else if (step.kind === "callback") await receive(callback(step), fault);
    else if (step.kind === "refund") await receive(refund(step), fault);
    else if (seen[step.message]) await receive(seen[step.message]!, fault);
  }

  async function create(end: model.Ended["end"], meanwhile: Callback | undefined, fault: Fault) {
    // A callback from before names no attempt, and only one from now on does.
    if (attempts().length === 0) await drain();
    const begun: model.Begun = { kind: "begun", time: clock };
    const payment = attempts().length + 1;
    const mayCreate = model.mayCreate(list);
    const service = async () => {
      expect(mayCreate, "the service may be asked to create the order").toBe(true);
      list.push(begun);
      if (meanwhile !== undefined) await receive(callback(meanwhile), noFault);
      const refusal = { code: "1", msg: "no" };
      if (end === "refused") throw new GatewayError("refused", { refusal });
      if (end === "unknown") throw new GatewayError("timed-out");
      return `P${payment}`;
    };
    const { result, writes } = product.create(service, fault);
    await result;
    // The attempt was stored, and the function ended before it called the service.
    if (writes() > 0 && !list.includes(begun)) list.push(begun);
    if (writes() > 1) list.push({ kind: "ended", time: begun.time, end, payment });
    if (fault === noFault) expect(list.includes(begun), "an attempt").toBe(mayCreate);
  }

  /** Until the order is created here, the times are those of attempts that were made elsewhere. */
  function callback({ attempt, status, isRight, hasTransaction, id }: Callback): Message {
    const time = attempts()[attempt % attempts().length]?.time ?? start - attempt * hour;
    const amount = namesTransactions ? (isRight ? model.expectedMinor : 999) : amountOf(time);
    const result = payment(time, status, amount, namesTransactions || hasTransaction);
    const statement = { subject: model.theOrder, part: time, status, amount } as const;
    const subject = { kind: "order", merchantId, orderNo } as const;
    return message(subject, `payment.order.${status}`, result, id, statement);
  }

  function refund({ payment, refund: refundId, status, id }: Refund): Message {
    const amount = Number(refundId.slice(1));
    const paymentId = `P${payment}`;
    const result = refundResult({ paymentId, refundId, status, refundAmount: amount / 100 });
    const statement = { subject: payment, part: refundId, status, amount };
    const subject = { kind: "payment", merchantId, paymentId } as const;
    return message(subject, `payment.${status.replace("_", ".")}`, result, id, statement);
  }

  function payment(time: number, status: string, amount: number, hasTransaction: boolean) {
    const fields = {
      referOrderNo: orderNo,
      paymentTime: time,
      status,
      paymentAmount: amount / 100,
    };
    return orderResult({ ...fields, transactionId: hasTransaction ? `T${time}` : "" });
  }

  function message(
    subject: Subject,
    eventName: string,
    result: object,
    number: number,
    fact: Fact,
  ): Message {
    const id = `C${number}`;
    const text = JSON.stringify(result);
    const body = writeInboxMessage({
      origin: "callback",
      merchantId,
      callbackId: id,
      eventName,
      keyVersion: "v",
      content: { kind: "text", text, result },
      deduplication: { key: id, replayable: false },
      receivedAtMilliseconds: clock,
      sentAtMilliseconds: clock,
      traceparent: "00-0-0-01",
    });
    const entry = { kind: "reported", ...fact, id, content: `${eventName} ${text}` } as const;
    return { queued: queue(body, groupOf(subject)), entry };
  }

  function queue(message: string, group: string): QueuedMessage {
    const sentAtMilliseconds = clock;
    const body = stamped(group, message);
    return { messageId: "m", receiptHandle: "r", group, body, receiveCount: 1, sentAtMilliseconds };
  }

  /** A FIFO queue keeps the order of a group: what waits in it is processed first. */
  async function receive(message: Message, fault: Fault): Promise<void> {
    if (!seen.includes(message)) seen.push(message);
    await drain(({ queued }) => queued.group === message.queued.group);
    await process(message, fault);
  }

  async function drain(isWanted: (message: Message) => boolean = () => true): Promise<void> {
    const wanted = waiting.filter(isWanted);
    waiting = waiting.filter((message) => !isWanted(message));
    for (const message of wanted) await process(message, noFault);
  }

  /** A report counts from the time when its transaction is written, even if the response was lost. */
  async function process(message: Message, fault: Fault): Promise<void> {
    const { result, writes } = product.process(message.queued, fault);
    const isDone = (await result) === "done";
    if (message.entry !== undefined && (isDone || writes() > 0)) list.push({ ...message.entry });
    if (!isDone) waiting.push(message);
    if (fault === noFault) expect(isDone, "the message is done").toBe(true);
  }

  async function query(status: string, fault: Fault): Promise<void> {
    let entry: model.Statement | undefined;
    const answers: Message[] = [];
    const service = (paymentId: string) => {
      const { time } = attempts()[Number(paymentId.slice(1)) - 1]!;
      const amount = amountOf(time);
      const statement = { subject: model.theOrder, part: time, status, amount } as const;
      if (status !== "pending")
        entry = { kind: "reported", ...statement, id: undefined, content: "" };
      return payment(time, status, amount, true);
    };
    const send = (body: string, group: string) =>
      void answers.push({ queued: queue(body, group), entry });
    const answer = await product.query(service, send, fault).result;
    for (const message of answers) await receive(message, noFault);
    if (fault !== noFault || answer?.statusCode !== 200) return;
    const view = JSON.parse(answer.body);
    expect(view.status, "GET's answer").toBe(model.shownStatusOf(list));
    expect(view.refundStatus !== undefined, "GET knows of a refund").toBe(model.hasRefund(list));
    if (!model.hasRefund(list)) return;
    expect(view.checkoutUrl, "GET's checkout").toBeUndefined();
    if (view.status !== "success") expect(view.stale, "GET's status is current").toBe(true);
  }

  /** The result of the product. */
  async function outcome() {
    const { database } = product;
    const order = await loadOrder(database, "orders", merchantId, orderNo);
    const found = await Promise.all(
      payments.map((number) => loadPayment(database, "orders", merchantId, `P${number}`)),
    );
    return {
      order: { status: order.status, flags: [...order.flags].sort() },
      events: eventsOf(orderNo),
      payments: found.map((candidate) => ({
        flags: [...candidate.flags].sort(),
        refunded: refundedTotal(candidate)?.minor,
        events: eventsOf(candidate.paymentId),
      })),
    };
  }

  /** What both subscribers have of an order or a payment. A repeat has the same bytes, so it counts once. */
  function eventsOf(name: string): string[] {
    const [books, stock] = ["books", "stock"].map((subscriber) => {
      const sent = product.sent.filter(({ to }) => to === subscriber);
      return [...new Set(sent.map(({ event }) => event))]
        .map((text) => JSON.parse(text) as PaycastEvent)
        .filter(({ data }) => name === ("order" in data ? data.orderNo : data.paymentId));
    });
    expect(stock).toEqual(books);
    expect(new Set(books!.map(({ id }) => id)).size, "ids of events").toBe(books!.length);
    return books!.map(({ sequence, data }) => {
      const after = "order" in data ? ` -> ${data.order.status}` : "";
      return [`${Number(sequence)} ${data.status}${after}`, ...[...data.flags].sort()].join(" ");
    });
  }

  return { take, drain, outcome, expected: () => model.outcomeOf(list, payments) };
}
