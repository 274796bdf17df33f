import { minuteMilliseconds } from "./metric.ts";

type Keep<Answer> = (question: string, ask: () => Promise<Answer>) => Promise<Answer>;

/**
 * CloudWatch has one value per minute and charges for each metric that is asked for. So an answer is kept for a minute,
 * and everybody who asks the same question gets it. A failure is not kept.
 */
export function keepAMinute<Answer>(now: () => number): Keep<Answer> {
  const kept = new Map<string, { readonly answer: Promise<Answer>; readonly askedAt: number }>();
  return (question, ask) => {
    const known = kept.get(question);
    if (known !== undefined && now() - known.askedAt < minuteMilliseconds) return known.answer;
    const answer = ask();
    kept.set(question, { answer, askedAt: now() });
    answer.catch(() => kept.delete(question));
    return answer;
  };
}
