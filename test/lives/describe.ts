import type { PaycastEvent } from "../../shared/events/event.ts";
import { sha256Of } from "../../shared/sha256.ts";

/** `name=value` for each field at any depth. An empty list says so, and an absent field is left out. */
export function fieldsOf(value: unknown, name = ""): Record<string, string> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null) return { [name]: shortTime(String(value)) };
  const amount = amountText(value);
  if (amount !== undefined) return { [name]: amount };
  if (Array.isArray(value) && value.every((element) => typeof element !== "object")) {
    return { [name]: value.length === 0 ? "none" : value.join("+") };
  }
  const inside = Object.entries(value).map(([key, part]) =>
    fieldsOf(part, name === "" ? key : `${name}.${key}`),
  );
  return Object.assign({}, ...inside);
}

/** The day on which most lives begin is left out. */
function shortTime(text: string): string {
  return text.replace(/^2026-11-15T(.*)Z$/, "$1");
}

/** "10.00 EUR", if the minor units are the same digits. */
function amountText(amount: object): string | undefined {
  const { value, minor, currency, ...rest } = amount as Record<string, string>;
  const isUsual = value?.replace(".", "").replace(/^0+(?=\d)/, "") === minor;
  return isUsual && minor !== undefined && Object.keys(rest).length === 0
    ? `${value} ${currency}`
    : undefined;
}

export function writeFields(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value.includes(" ") ? JSON.stringify(value) : value}`)
    .join(" ");
}

/** The fields that are new or different, and the names of those that are gone. Undefined if nothing changed. */
export function changesOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string | undefined {
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  const gone = Object.keys(before).filter((name) => !(name in after));
  const lines = [
    ...(changed.length > 0 ? [writeFields(Object.fromEntries(changed))] : []),
    ...(gone.length > 0 ? [`without ${gone.join(", ")}`] : []),
  ];
  return lines.length === 0 ? undefined : lines.join("; ");
}

/** What a subscriber reads in an event. The hash covers its exact bytes. */
export function describeEvent(text: string, names: readonly string[]): string[] {
  const { data, ...head } = JSON.parse(text) as PaycastEvent;
  const { id, type, sequence, time, origin, subject, source: _s, traceparent: _t, ...rest } = head;
  const { order, payment, ...fact } = data as typeof data & { order?: object; payment?: object };
  const { specversion: _v, datacontenttype: _d, dataschema: _u, partitionkey: group } = rest;
  const named = { id: short(id), group: short(group), subject, time, origin, bytes: hashOf(text) };
  return [
    `event to ${names.join(", ")}: ${Number(sequence)} ${type} ${writeFields(fieldsOf(named))}`,
    `  fact: ${writeFields(fieldsOf(fact))}`,
    order === undefined
      ? `  payment: ${writeFields(fieldsOf(payment))}`
      : `  order: ${writeFields(fieldsOf(order))}`,
  ];
}

function short(hash: string): string {
  return hash.slice(0, 12);
}

function hashOf(text: string): string {
  return short(sha256Of(text));
}
