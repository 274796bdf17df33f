import type { StackClock } from "../clock/stack-clock.ts";
import { type AlarmState, evaluateAlarm } from "./evaluate-alarm.ts";
import type { MetricStore } from "./metric-store.ts";
import type { Alarm } from "./read-alarm.ts";

/** An alarm of the template. */
export interface NamedAlarm {
  readonly name: string;
  readonly description: string;
  readonly alarm: Alarm;
}

interface RingingNow {
  readonly name: string;
  readonly description: string;
  /** RFC 3339 */
  readonly since: string;
}

interface WatchOptions {
  readonly alarms: readonly NamedAlarm[];
  readonly store: MetricStore;
  readonly clock: StackClock;
  /** Records the queues' metrics, which SQS reports once a minute. */
  readonly sampleQueues: () => void;
  /** Called when an alarm enters or leaves ALARM. */
  readonly changed: (alarm: NamedAlarm, isRinging: boolean) => void;
}

export interface AlarmWatch {
  readonly ringing: () => readonly RingingNow[];
  stop(): void;
}

const minute = 60_000;
/** An alarm on missing data would otherwise go off before a new stack has recorded any. */
const settleMilliseconds = 2 * minute;
/** In the first part of a long jump, schedules do not run every minute, so missing data means nothing. */
const longestStepMilliseconds = 2 * minute;
/** The longest period of an alarm is six hours, and an evaluation reads three periods. */
const keptMilliseconds = 24 * 60 * minute;

/** Evaluates the alarms of the template once a minute of the stack's clock, as CloudWatch does. */
export function watchAlarms(options: WatchOptions): AlarmWatch {
  const { alarms, store, clock } = options;
  const states = new Map<string, AlarmState>();
  const evaluateFrom = clock.now() + settleMilliseconds;
  let evaluatedUntil = minuteOf(clock.now());
  let timer: NodeJS.Timeout | undefined;
  const untilNextMilliseconds = () => Math.max(0, evaluatedUntil + minute - clock.now());
  const evaluate = () => {
    for (const named of alarms) {
      const before = states.get(named.name);
      const state = evaluateAlarm(named.alarm, store.read, clock.now(), before);
      states.set(named.name, state);
      const isRinging = state.value === "ALARM";
      if (isRinging !== (before?.value === "ALARM")) options.changed(named, isRinging);
    }
  };
  const tick = (stepMilliseconds: number) => {
    clearTimeout(timer);
    const now = minuteOf(clock.now());
    if (now > evaluatedUntil) {
      evaluatedUntil = now;
      options.sampleQueues();
      if (stepMilliseconds <= longestStepMilliseconds && clock.now() >= evaluateFrom) evaluate();
      store.forgetBefore(now - keptMilliseconds);
    }
    timer = setTimeout(tick, untilNextMilliseconds(), 0);
  };
  tick(0);
  clock.add({ untilNextMilliseconds, moved: tick, isQuiet: () => true });
  return {
    ringing: () =>
      alarms.flatMap(({ name, description }) => {
        const state = states.get(name);
        if (state?.value !== "ALARM") return [];
        return [{ name, description, since: new Date(state.sinceMilliseconds).toISOString() }];
      }),
    stop: () => clearTimeout(timer),
  };
}

function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / minute) * minute;
}
