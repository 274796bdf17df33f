import type { CreateAnswer } from "../../shared/gateway/create-answer.ts";
import { writeRedrive } from "../../shared/inbox/inbox-body.ts";
import { loadOrder } from "../../shared/orders/aggregate-store.ts";
import { dueAtOnce } from "../../shared/orders/due.ts";
import type { QueuedMessage } from "../../shared/processing/process-batch.ts";
import { fromAttributes } from "../../shared/table/attributes.ts";
import { updateItem } from "../../shared/table/items.ts";
import { dismissOne } from "../../tools/operations/attention/dismiss.ts";
import { foundItem } from "../../tools/operations/attention/item.ts";
import type { Target } from "../../tools/operations/ports/target.ts";
import type { MemoryItems } from "../builders/memory-table.ts";
import { stamped } from "../builders/stamp.ts";
import { goods, orderBody } from "../shared/storefront/order-body.ts";
import { writeFields } from "./describe.ts";
import { describeGet, describePost, startObserver } from "./observe.ts";
import { merchantId, startProduct, tables } from "./product.ts";
import type { Life, Step } from "./read-lives.ts";
import { callbackMessage, createAnswer, type Message, queryAnswer, usualOrderNo } from "./said.ts";

const start = Date.UTC(2026, 10, 15, 1, 22, 45, 123);
const units: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Plays a life. Returns its text again, with what everybody sees after each step. */
export async function playLife({ title, steps }: Life): Promise<string> {
  const lines = [`## ${title}`, ""];
  const take = startLife(new Map());
  for (const step of steps) {
    lines.push(`> ${step.text}`, ...step.meanwhile.map(({ text }) => `>> ${text}`));
    lines.push(...(await take(step)).map((line) => `  ${line}`));
  }
  return `${lines.join("\n")}\n\n`;
}

/** `sends` and `spelling` write the same order in other ways, `content` and `amount` another one. */
function bodyOf({ named }: Step, orderNo: string, now: number): object {
  const { content, amount = 10, sends, spelling } = named;
  const described = content === undefined ? {} : { orderDescription: content };
  const sent = sends === "times" ? { paymentTime: now, paymentExpiryTime: now + 1_800_000 } : {};
  if (spelling === undefined) {
    return orderBody({ paymentAmount: amount, ...sent }, { orderNo, ...described });
  }
  const cup = goods({ goodsAmount: undefined, goodsUnitAmount: "5.0", goodsQuantity: "2" });
  const order = { orderNo, orderAmount: "10.00", orderDescription: "", goods: [cup] };
  return orderBody({ merchantId, paymentAmount: "10.0", ...sent }, order);
}

type Act = (step: Step) => void | Promise<void>;

function startLife(items: MemoryItems): (step: Step) => Promise<readonly string[]> {
  let clock = start;
  let asked: Step | undefined;
  let backup: MemoryItems = new Map();
  const refusing = new Set<string>();
  const received = new Map<string, Message>();
  const returned: QueuedMessage[] = [];
  const news: Message[] = [];
  const times: number[] = [];
  const answers = new Map<string, (step: Step) => void>();
  const callers = new Map<string, Promise<void>>();
  const lines: string[] = [];

  const product = startProduct({
    now: () => clock,
    items,
    isRefused: (name) => refusing.has(name),
    queryPayment: (paymentId) => queryAnswer(asked, paymentId, times, clock),
    toInbox: (message, group) => void news.push({ message, group }),
    log: ({ outcome, ending }) =>
      void lines.push(`processed: ${ending === undefined ? outcome : `${outcome}, ${ending}`}`),
  });
  const observer = startObserver(product, items);

  async function process(body: string, group: string): Promise<void> {
    const sentAtMilliseconds = clock;
    await attempt({
      messageId: "m",
      receiptHandle: "r",
      group,
      body,
      receiveCount: 1,
      sentAtMilliseconds,
    });
  }

  async function attempt(queued: QueuedMessage): Promise<void> {
    const result = await product.process(queued);
    if (result !== "done") returned.push({ ...queued, receiveCount: queued.receiveCount + 1 });
  }

  const receive = async ({ message, group }: Message) =>
    await process(stamped(group, message), group);

  /** Callbacks, repeats of them included. */
  const callback: Act = async (step) => {
    const made = callbackMessage(step, times, clock, received.size + 1);
    const message = step.words[0] === "again" ? received.get(made.id) : made.message;
    if (message === undefined) throw new Error(`${step.text}: no such callback`);
    if (!received.has(made.id)) received.set(made.id, message);
    if (step.verb === "callback") observer.watch(step.named["order"] ?? usualOrderNo);
    await receive(message);
  };

  const create: Act = async (step) => {
    const { order = usualOrderNo, late: name } = step.named;
    const body = bodyOf(step, order, clock);
    observer.watch(order);
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => (reached = resolve));
    const answered = product
      .create(body, async (_merchantId, { paymentTime }) => {
        times.push(Number(paymentTime));
        for (const other of step.meanwhile) await acts[other.verb]?.(other);
        reached();
        return name === undefined ? createAnswer(step) : await answerLater(name);
      })
      .then((answer) => {
        lines.push(`POST: ${describePost(answer)}`);
      });
    if (name !== undefined) callers.set(name, answered);
    await (name === undefined ? answered : Promise.race([answered, isReached]));
  };

  async function answerLater(name: string): Promise<CreateAnswer> {
    return await new Promise((resolve, reject) => {
      answers.set(name, (step) => {
        try {
          resolve(createAnswer({ ...step, words: step.words.slice(1) }));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  const acts: Readonly<Record<string, Act>> = {
    create,
    callback,
    refund: callback,
    /** A creation that was called `late` is answered. */
    answer: async (step) => {
      const [name = ""] = step.words;
      answers.get(name)?.(step);
      await callers.get(name);
    },
    /** GET while the service answers. What it says goes through the inbox at once, but for `slow`. */
    get: async (step) => {
      asked = step;
      const { payment } = step.named;
      const path =
        payment === undefined
          ? { orderNo: step.named["order"] ?? usualOrderNo }
          : { paymentId: payment };
      const query = step.words.includes("refresh") ? { refresh: "true" } : undefined;
      lines.push(`GET: ${writeFields(describeGet(await product.get(path, query)))}`);
      asked = undefined;
      if (!step.words.includes("slow")) await inbox();
    },
    /** What a `slow` GET left there. */
    inbox: () => inbox(),
    reconcile: async (step) => {
      asked = step;
      await product.reconcile();
      asked = undefined;
      await inbox();
    },
    wait: ({ words: [count, unit = ""] }) => {
      clock += Number(count) * (units[unit.replace(/s$/, "")] ?? Number.NaN);
    },
    queue: ({ words: [name = "", does] }) => {
      if (does === "fails") refusing.add(name);
      else refusing.delete(name);
    },
    /** What was returned to the inbox is received again. */
    retry: async () => {
      for (const queued of returned.splice(0)) await attempt(queued);
    },
    redrive: async ({ words: [id = ""] }) => {
      const { group } = received.get(id) ?? { group: "" };
      const callbackKey = `${merchantId}#callback#${id.toLowerCase()}`;
      await process(writeRedrive({ callbackKey, receipt: "first" }), group);
    },
    dismiss: async ({ words: [kind = ""] }) => {
      const target = {
        records: { table: tables.callbacks, database: product.database },
        clock: { now: () => clock },
        queues: { subscribers: [] },
      };
      const stored = [...items.values()]
        .map(fromAttributes)
        .filter((item) => item["attentionShard"]);
      for (const item of stored.map((row) => foundItem(target as unknown as Target, row))) {
        if (item.item.kind !== kind) continue;
        const names = Object.keys(item.item.subscribers);
        await dismissOne(target as unknown as Target, { ...item, names });
      }
    },
    /** An operator wants the order to be asked about now. */
    "check-now": async () => {
      const order = await loadOrder(product.database, tables.orders, merchantId, usualOrderNo);
      const { dueAtMilliseconds, dueShard, aggregateKey } = dueAtOnce(order, clock);
      await updateItem(product.database, {
        table: tables.orders,
        key: { aggregateKey },
        expression: "SET dueAtMilliseconds = :due, dueShard = :shard",
        condition: "attribute_exists(aggregateKey)",
        values: { due: dueAtMilliseconds, shard: dueShard },
      });
    },
    backup: () => {
      backup = new Map(items);
    },
    /** The orders table is as it was at the backup. */
    restore: () => {
      for (const key of [...items.keys()]) if (key.startsWith(tables.orders)) items.delete(key);
      for (const [key, item] of backup) if (key.startsWith(tables.orders)) items.set(key, item);
    },
  };

  async function inbox(): Promise<void> {
    for (const message of news.splice(0)) await receive(message);
  }

  return async (step) => {
    lines.length = 0;
    const act = acts[step.verb];
    if (act === undefined) throw new Error(`Nothing is known of "${step.text}".`);
    if (step.verb !== "wait") clock += 1_000;
    await act(step);
    return [...lines, ...(await observer.observe())];
  };
}
