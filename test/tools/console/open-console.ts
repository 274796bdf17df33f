import { expect } from "vitest";
import { until } from "../../end-to-end/running-stack.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  readonly json: any;
}

/** The console as its own page uses it: with the cookie of the printed address, and its own origin. */
export async function openConsole(url: string) {
  const { origin } = new URL(url);
  const entered = await fetch(url, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = async (path: string, init: RequestInit = {}): Promise<Answered> => {
    const headers = { cookie, ...init.headers };
    const answer = await fetch(`${origin}${path}`, { ...init, headers, redirect: "manual" });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type") === "application/json";
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  const post = (path: string, body: object = {}) => {
    const headers = { origin, "content-type": "application/json" };
    return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const ended = (id: string) =>
    until(`the end of job ${id}`, async () => {
      const { json } = await ask("/api/jobs");
      const job = json.jobs.find((candidate: { id: string }) => candidate.id === id);
      return job.state === "running" ? undefined : job;
    });
  /** A view that must be there. */
  const view = async (path: string) => {
    const { status, json, text } = await ask(path);
    expect(status, `${path}: ${text}`).toBe(200);
    return json;
  };
  return {
    origin,
    cookie,
    ask,
    post,
    view,
    /** A change that must be made. */
    send: async (path: string, body: object = {}) => {
      const { status, json, text } = await post(path, body);
      expect(status, `${path}: ${text}`).toBe(200);
      return json;
    },
    ended,
    /** What would be done, then doing exactly that, until its end. */
    carryOut: async (preview: string, body: object, path: string) => {
      const shown = await post(preview, body);
      expect(shown.status, shown.text).toBe(200);
      const started = await post(path, { preview: shown.json.preview });
      expect(started.status, started.text).toBe(200);
      return { shown: shown.json, job: await ended(started.json.id) };
    },
  };
}

export type Console = Awaited<ReturnType<typeof openConsole>>;
