import type { BackgroundFunction, FailedWork } from "./failed-work.ts";
import type { ReceivingLine, RequestLine } from "./request-line.ts";

/** Which requests to read, from the newest to the oldest. */
export interface LogReading {
  readonly services: readonly RequestLine["service"][];
  readonly isWanted: (line: RequestLine) => boolean;
  /** What CloudWatch can filter by itself. It may let through more than `isWanted`, never less. */
  readonly pattern: string;
  /** In milliseconds; `until` itself is not part of it. */
  readonly since: number;
  readonly until: number;
  /** A few more are given if they have the same time as the last one. */
  readonly limit: number;
  /** How often CloudWatch is called at most. */
  readonly calls: number;
  readonly stopped: AbortSignal;
  readonly tell: (progress: string) => void;
}

export interface FoundRequests {
  /** Newest first. */
  readonly lines: readonly RequestLine[];
  /** Nothing older was read. It is `since` if everything was read. */
  readonly readBackTo: number;
}

/** A line with the time by which the log is sorted. */
export interface Logged {
  readonly line: RequestLine;
  readonly at: number;
}

/** A line with the same time as the last one is included: the next page begins before that time. */
export function newest(
  logged: readonly Logged[],
  limit: number,
  readBackTo: number,
): FoundRequests {
  const sorted = [...logged].sort((left, right) => right.at - left.at);
  const last = sorted[limit - 1];
  if (last === undefined || sorted.length === limit) {
    return { lines: sorted.map(({ line }) => line), readBackTo };
  }
  const given = sorted.filter(({ at }) => at >= last.at);
  return { lines: given.map(({ line }) => line), readBackTo: last.at };
}

/** Which lines of receive-callback to find. */
export interface LogSearch {
  /** A line that is wanted has one of them as a value. */
  readonly terms: readonly string[];
  readonly isWanted: (line: ReceivingLine) => boolean;
  /** RFC 3339. */
  readonly from: string;
  readonly until: string;
}

export interface FoundLines {
  readonly lines: readonly ReceivingLine[];
  /** The range was not searched to its end. */
  readonly isPartial: boolean;
}

/** What a function logged of failures. */
export interface FoundFailures {
  readonly name: BackgroundFunction;
  /** Oldest first. */
  readonly failed: readonly FailedWork[];
  /** False if the log may have more of them. */
  readonly isWhole: boolean;
}

/** The log lines of the functions. */
export interface Log {
  readonly readRequests: (reading: LogReading) => Promise<FoundRequests>;
  readonly searchReceived: (search: LogSearch) => Promise<FoundLines>;
  readonly readFailures: (sinceMilliseconds: number) => Promise<readonly FoundFailures[]>;
  /** Where the lines of a function are: "log group Paycast-CountAttentionLogs". */
  readonly placeOf: (label: string) => string;
}
