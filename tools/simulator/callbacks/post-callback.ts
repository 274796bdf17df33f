import * as http from "node:http";
import * as https from "node:https";

export interface CallbackAnswer {
  /** Undefined if there was no response. `detail` then says why. */
  httpStatus: number | undefined;
  detail: string;
}

const longestDetail = 300;

/** One POST on its own connection. It never throws: no response is also a result (§6). */
export async function postCallback(
  url: string,
  body: string,
  timeoutMilliseconds: number,
  stop: AbortSignal,
): Promise<CallbackAnswer> {
  // Not AbortSignal.timeout: Node 20 may collect one that only AbortSignal.any refers to.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMilliseconds);
  const signal = AbortSignal.any([stop, limit.signal]);
  try {
    return await exchange(new URL(url), body, signal);
  } catch (error) {
    if (stop.aborted) return noAnswer("the simulator was stopped");
    if (signal.aborted) return noAnswer(`no response within ${timeoutMilliseconds / 1000} s`);
    return noAnswer(describe(error));
  } finally {
    clearTimeout(timer);
  }
}

function exchange(url: URL, body: string, signal: AbortSignal): Promise<CallbackAnswer> {
  const { request } = url.protocol === "https:" ? https : http;
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "user-agent": "payment-service-simulator",
  };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers, agent: false, signal }, (response) => {
      readAnswer(response).then(resolve, reject);
    })
      .on("error", reject)
      .end(body);
  });
}

async function readAnswer(response: http.IncomingMessage): Promise<CallbackAnswer> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    if (text.length < longestDetail) text += String(chunk);
  }
  return { httpStatus: response.statusCode, detail: text.slice(0, longestDetail) };
}

function noAnswer(detail: string): CallbackAnswer {
  return { httpStatus: undefined, detail };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "no response";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message || code || "no response";
}

type LimitedWork = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `most` tasks at the same time. The others wait in the order of their calls. */
export function limitConcurrency(most: number): LimitedWork {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
