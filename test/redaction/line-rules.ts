import { stages } from "../../shared/errors/stages.ts";
import { eventTypes } from "../../shared/facts/event-types.ts";
import { flags } from "../../shared/facts/flags.ts";
import { problemKinds } from "../../shared/storefront/problem-kinds.ts";
import { outcomes, outsideFields, type ownFields } from "../../shared/telemetry/log-line.ts";

type Rule = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === "string";
const text =
  (pattern: RegExp): Rule =>
  (value) =>
    isText(value) && pattern.test(value);
const oneOf =
  (known: readonly string[]): Rule =>
  (value) =>
    isText(value) && known.includes(value);
const listOf =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value) && value.every(rule);

/** Longer than any id, and shorter than a body or a signature. */
const id: Rule = (value) => isText(value) && value.length <= 256;
const names = listOf(text(/^[\w-]{1,80}$/));
const number: Rule = (value) => Number.isFinite(value);

/** What the values of Paycast's own fields look like. */
const ownRules: Record<(typeof ownFields)[number], Rule> = {
  outcome: oneOf(Object.values(outcomes).flat()),
  ending: oneOf(["delivered", "given-back", "undeliverable"]),
  reason: text(/^(urn:paycast:problem:)?[a-z0-9-]{1,40}$/),
  detail: (value) => isText(value) && value.length <= 500 && !looksLikeContent(value),
  eventName: oneOf(eventTypes),
  eventId: text(/^[0-9a-f]{64}$/),
  sequence: Number.isInteger,
  flags: listOf(oneOf(flags)),
  keyVersion: text(/^[\w-]{1,64}$/),
  keyStage: oneOf(["current", "previous"]),
  deliveredTo: names,
  subscribers: names,
  messageId: text(/^[\w-]{1,100}$/),
  route: text(/^GET \/(orders\/\{orderNo\+?\}|payments\/\{paymentId\})$/),
  httpStatus: Number.isInteger,
  serviceStatus: text(/^[a-z_-]{1,20}$/),
  durationMilliseconds: number,
  traceparent: text(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/),
  errorName: text(/^[\w$, ]{1,200}$/),
  stage: oneOf(stages),
  problem: oneOf(problemKinds),
};

const frameRules: Record<string, Rule> = {
  service: oneOf(Object.keys(outcomes)),
  timestamp: Number.isInteger,
  _aws: (value) => typeof value === "object",
};

const outsideRules = Object.fromEntries(
  outsideFields.map((name) => [name, name === "aggregateKeys" ? listOf(id) : id]),
);

const rules: Readonly<Record<string, Rule>> = { ...frameRules, ...outsideRules, ...ownRules };

/** JSON, a PEM, or a run of base64 or hex that is too long for a hash. */
function looksLikeContent(value: string): boolean {
  return /[{[]"|":|-----BEGIN|[A-Za-z0-9+/]{65,}/.test(value);
}

/** What is wrong with a line that a function has written. It may hold only listed fields, each of its kind. */
export function faultsOfLine(line: string): string[] {
  const fields = parsed(line);
  if (fields === undefined) return [`not a log line: ${line.slice(0, 200)}`];
  const counted = metricNames(fields);
  return Object.entries(fields)
    .filter(([name, value]) => !isAllowed(name, value, counted))
    .map(([name]) => `${name} may not hold this: ${line}`);
}

function isAllowed(name: string, value: unknown, counted: readonly string[]): boolean {
  if (counted.includes(name)) return /^[A-Z][A-Za-z0-9-]{2,39}$/.test(name) && number(value);
  return rules[name]?.(value) ?? false;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(line);
    return typeof json === "object" && json !== null ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}

interface EmbeddedMetrics {
  readonly CloudWatchMetrics: { readonly Metrics: { readonly Name: string }[] }[];
}

function metricNames({ _aws }: Record<string, unknown>): string[] {
  const { CloudWatchMetrics } = (_aws ?? { CloudWatchMetrics: [] }) as EmbeddedMetrics;
  return CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
}
