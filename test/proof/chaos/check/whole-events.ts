import { type Event, groupBy, orderOf } from "./evidence.ts";
import { replay } from "./replay.ts";
import type { Look, Rule } from "./rule.ts";

/** Every field of an event follows from its source and the events before it, and each team has the same text. */
export const eventsAreWhole: Rule = (seen) => {
  const texts = groupBy(seen.events, ({ id }) => id);
  const alike = [...texts.values()].map((copies: readonly Event[]): Look => {
    const [first] = copies;
    const isSame = copies.every(({ received }) => received.body === first?.received.body);
    const message = `the event ${first?.id} arrived with two texts`;
    return { orderNo: orderOf(seen.evidence, first?.fact), wrong: isSame ? [] : [message] };
  });
  const attributes = seen.events.map(({ id, body, received, fact }): Look => {
    const message = `the event ${id} has the attribute type ${received.type}`;
    const wrong = received.type === body["type"] ? [] : [message];
    return { orderNo: orderOf(seen.evidence, fact), wrong };
  });
  const sources = new Set(seen.events.map(({ body }) => String(body["source"])));
  const oneStack = sources.size > 1 ? [`the events name ${[...sources].join(" and ")}`] : [];
  const findings = [...replay(seen).findings, ...alike, ...attributes];
  return [...findings, { orderNo: undefined, wrong: oneStack }];
};
