import * as z from "zod/mini";
import { attentionFields } from "../../shared/attention/attention.ts";
import type { HttpResponse } from "../../shared/http/http-response.ts";
import { fromAttributes } from "../../shared/table/attributes.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import type { MemoryItems } from "../builders/memory-table.ts";
import { changesOf, describeEvent, fieldsOf, writeFields } from "./describe.ts";
import { dueEntries, type startProduct } from "./product.ts";

type Product = ReturnType<typeof startProduct>;
type Fields = Readonly<Record<string, string>>;

/** What anybody outside can see of the orders of a life. Seeing changes nothing. */
export function startObserver(product: Product, items: MemoryItems) {
  const watched: string[] = [];
  const before = new Map<string, Fields>();
  let attention: readonly string[] = [];

  /** Only what changed since the last step. */
  function changed(name: string, fields: Fields): string[] {
    const changes = changesOf(before.get(name) ?? {}, fields);
    before.set(name, fields);
    return changes === undefined ? [] : [`${name}: ${changes}`];
  }

  function events(): string[] {
    const sent = product.sent.splice(0);
    const texts = [...new Set(sent.map(({ event }) => event))];
    return texts.flatMap((text) => {
      const names = sent.filter(({ event }) => event === text).map(({ to }) => to);
      return describeEvent(text, names);
    });
  }

  /** The service does not answer this GET, and what it would store is undone. */
  async function gets(): Promise<string[]> {
    const lines: string[] = [];
    for (const orderNo of watched) {
      const stored = new Map(items);
      const answer = describeGet(await product.get({ orderNo }));
      items.clear();
      for (const [key, item] of stored) items.set(key, item);
      lines.push(...changed(`GET ${orderNo}`, answer));
    }
    return lines;
  }

  async function due(): Promise<string[]> {
    const lines: string[] = [];
    for await (const { aggregateKey, dueAtMilliseconds } of dueEntries(items, Infinity)) {
      lines.push(`${aggregateKey.split("#").at(-1)} at ${toRfc3339(dueAtMilliseconds)}`);
    }
    return changed("asked next", { due: lines.join(", ") || "nothing" });
  }

  function attentionList(): string[] {
    const now = attentionRows(items);
    const opened = now.filter((row) => !attention.includes(row));
    const ended = attention.filter((row) => !now.includes(row));
    attention = now;
    return [
      ...opened.map((row) => `attention: ${row}`),
      ...ended.map((row) => `no more attention: ${row}`),
    ];
  }

  return {
    watch: (orderNo: string) => {
      if (!watched.includes(orderNo)) watched.push(orderNo);
    },
    observe: async () => [...events(), ...(await gets()), ...attentionList(), ...(await due())],
  };
}

/** "409 order-differs /paymentAmount": the fields that are named, and the payment. */
export function describePost({ statusCode, body }: HttpResponse): string {
  const { type = "", errors = [], paymentId } = JSON.parse(body);
  const pointers = errors.map(({ pointer }: { pointer: string }) => pointer);
  const words = statusCode < 300 ? [] : [type.split(":").at(-1), ...pointers, paymentId];
  return [statusCode, ...words].filter(Boolean).join(" ");
}

export function describeGet({ statusCode, body }: HttpResponse): Fields {
  const { type, detail, service, title: _title, errors: _errors, ...view } = JSON.parse(body);
  if (statusCode < 300) return fieldsOf({ ...view, service });
  return fieldsOf({ answer: statusCode, type: type.split(":").at(-1), detail, service });
}

/** The rows of the index, oldest first. */
function attentionRows(items: MemoryItems): string[] {
  const rows = [...items.values()]
    .filter((item) => item["attentionShard"] !== undefined)
    .map((item) => fromAttributes(item));
  return rows
    .map((row) => {
      const { type, reason, callbackId, revealed } = row;
      const { attention, attentionSince: since } = z.object(attentionFields).parse(row);
      const { kind, ...about } = attention ?? {};
      const fields = fieldsOf({ since, ...about, type, reason, callbackId, revealed });
      return `${kind} ${writeFields(fields)}`;
    })
    .sort();
}
