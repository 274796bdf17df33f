import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Lab } from "../../../tools/console/console-context.ts";
import { type RunningConsole, startConsole } from "../../../tools/console/start-console.ts";
import { type Console, openConsole } from "./open-console.ts";

/** Who may ask is decided before the stack is looked for, so there is none here. */
const start = (token?: string, port = 0) =>
  startConsole({
    ...(token !== undefined && { token }),
    port,
    // With the Lab it may change things, as on the local stack.
    lab: { aheadMilliseconds: () => 0 } as unknown as Lab,
    follow: () => () => undefined,
    findTarget: async () => {
      throw new PaycastError("target-not-found", "There is no stack in this test.");
    },
  });

let running: RunningConsole;
let url: URL;
let page: Console;
beforeAll(async () => {
  running = await start();
  url = new URL(running.url);
  page = await openConsole(running.url);
});
afterAll(() => running.stop());

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request to the letter: fetch would not send a foreign Host, nor a path with dots. */
function ask({ method = "GET", path = "/api/jobs", headers = {}, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: url.port, method, path, headers },
      async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode, headers: answer.headers, text });
      },
    );
    sent.on("error", reject).end(body);
  });
}

const own = () => ({ cookie: page.cookie });
const codeOf = ({ text }: Answered) => JSON.parse(text).error.code;

test("its own page may read and change", async () => {
  expect((await ask({ headers: own() })).status).toBe(200);
  const headers = { ...own(), origin: url.origin };
  expect((await ask({ method: "POST", path: "/api/jobs/x/stop", headers })).status).toBe(200);
});

describe("a foreign page is refused", () => {
  test.each([
    "evil.example",
    `evil.example:${"PORT"}`,
    "127.0.0.1",
    "127.0.0.1.evil.example:PORT",
    "localhost:1",
    "[::1]:PORT",
    "0.0.0.0:PORT",
  ])("by its Host %s, also with the token", async (name) => {
    const host = name.replace("PORT", url.port);
    const answer = await ask({ headers: { ...own(), host } });
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 403,
      code: "wrong-host",
    });
    const entering = await ask({ path: `/${url.search}`, headers: { host } });
    expect(entering.status).toBe(403);
    expect(entering.headers["set-cookie"]).toBeUndefined();
  });

  test.each(["http://evil.example", "null", "https://127.0.0.1:PORT", "http://127.0.0.1:1"])(
    "by its Origin %s, reading and changing",
    async (text) => {
      const headers = { ...own(), origin: text.replace("PORT", url.port) };
      for (const method of ["GET", "POST"]) {
        const answer = await ask({ method, path: "/api/jobs/x/stop", headers });
        expect(answer.status).toBe(403);
        expect(codeOf(answer)).toBe("wrong-origin");
      }
    },
  );

  test("by a change without Origin, and by a read that the browser calls cross-site", async () => {
    const change = await ask({ method: "POST", path: "/api/jobs/x/stop", headers: own() });
    expect(codeOf(change)).toBe("wrong-origin");
    const read = await ask({ headers: { ...own(), "sec-fetch-site": "cross-site" } });
    expect(codeOf(read)).toBe("wrong-origin");
  });

  test("by a script of another port of this machine, which may link to the page but not ask the API", async () => {
    const headers = { ...own(), "sec-fetch-site": "same-site" };
    for (const path of ["/api/jobs", "/api/live", "/api/subscribers/x/dead-letters"]) {
      expect(codeOf(await ask({ path, headers }))).toBe("wrong-origin");
    }
    expect((await ask({ path: "/orders", headers })).status).toBe(200);
  });

  test("by a question before it is allowed: no answer has CORS headers", async () => {
    const headers = { ...own(), origin: "http://evil.example" };
    const answer = await ask({ method: "OPTIONS", headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).join()).not.toContain("access-control");
  });
});

describe("the token", () => {
  test.each([
    ["none", ""],
    ["a wrong one", `paycast-console-PORT=${"A".repeat(43)}`],
    ["an empty one", "paycast-console-PORT="],
    ["one under another name", "token=TOKEN"],
    ["a part of it", "paycast-console-PORT=PART"],
  ])("with %s nothing is reported, not even whether a view exists", async (_case, text) => {
    const token = url.searchParams.get("token") ?? "";
    const cookie = text
      .replace("PORT", url.port)
      .replace("TOKEN", token)
      .replace("PART", token.slice(0, -1));
    for (const path of ["/api/jobs", "/api/stack", "/api/live", "/api/nothing", "/", "/page.js"]) {
      const { status, text: answerText } = await ask({ path, headers: { cookie } });
      expect({ path, status }).toEqual({ path, status: 401 });
      expect(answerText).toContain("Open the address that npx paycast console printed");
    }
  });

  test("of an earlier start is worth nothing", async () => {
    const other = await start();
    const { port } = new URL(other.url);
    const old = page.cookie.replace(url.port, port);
    const answer = await fetch(`http://127.0.0.1:${port}/api/jobs`, { headers: { cookie: old } });
    await other.stop();
    expect(answer.status).toBe(401);
  });

  test("that is kept lets a tab of an earlier start go on, and the browser keeps it, too", async () => {
    const token = "T".repeat(43);
    const first = await start(token);
    const entered = await fetch(first.url, { redirect: "manual" });
    const [cookie = "", ...rest] = entered.headers.get("set-cookie")?.split("; ") ?? [];
    expect(rest).toContain("Max-Age=2592000");
    const { origin, port } = new URL(first.url);
    await first.stop();
    const second = await start(token, Number(port));
    const answer = await fetch(`${origin}/api/jobs`, { headers: { cookie } });
    const stranger = await fetch(origin);
    await second.stop();
    expect(answer.status).toBe(200);
    expect(stranger.status).toBe(401);
    expect(await stranger.text()).toContain("To see it again, run npx paycast console");
  });

  test("leaves the address bar at once, for a cookie that scripts and other sites cannot use", async () => {
    const path = `/attention/..%2f?reason=a&token=${url.searchParams.get("token")}`;
    const { status, headers } = await ask({ path });
    expect(status).toBe(303);
    expect(headers["location"]).toBe("/attention/..%2f?reason=a");
    expect(String(headers["set-cookie"])).toMatch(
      /^paycast-console-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  test("cannot be sent to another site by a path that looks like one", async () => {
    const { search } = url;
    const tricks = [
      "//evil.example/",
      "/\\evil.example/",
      "/.//evil.example/",
      "/%2e//evil.example/",
    ];
    for (const trick of tricks) {
      const { headers, status } = await ask({ path: `${trick}${search}` });
      expect(status).toBe(303);
      const location = String(headers["location"]);
      expect(new URL(location, url.origin).origin).toBe(url.origin);
    }
  });

  test("is found beside cookies of the same name, which a page on any port of this machine can set", async () => {
    const [name] = page.cookie.split("=");
    const cookie = `${name}=other; ${page.cookie}; ${name}=another`;
    expect((await ask({ headers: { cookie } })).status).toBe(200);
  });

  test("is not taken from the address of the API", async () => {
    expect((await ask({ path: `/api/jobs${url.search}` })).status).toBe(401);
  });
});

describe("every answer", () => {
  test.each(["/", "/page.js", "/page.css", "/api/jobs", "/api/nothing", "/favicon.ico"])(
    "to %s allows no foreign script, no frame and no cache",
    async (path) => {
      const { headers } = await ask({ path, headers: own() });
      const policy = String(headers["content-security-policy"]);
      expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    },
  );
});

describe("odd requests", () => {
  test.each([
    ["HEAD", "/api/jobs", 404],
    ["OPTIONS", "/api/jobs", 404],
    ["PUT", "/api/jobs", 404],
    ["POST", "/api/jobs", 404],
    ["GET", "/api/jobs/x/stop", 404],
    ["GET", "/api/../api/jobs", 200],
    ["GET", "/api/%2e%2e/jobs", 200],
    ["GET", "/api/%2fjobs", 404],
    ["GET", "/api/jobs%2fx", 404],
    ["GET", "/api/%ff", 404],
    ["GET", "//api/jobs", 200],
    ["GET", "/../../package.json", 200],
    ["GET", "/page.js%00", 200],
  ])("%s %s is answered %i, from the page or the API alone", async (method, path, status) => {
    const headers = { ...own(), origin: url.origin };
    const answer = await ask({ method, path, headers });
    expect(answer.status).toBe(status);
    if (method === "GET" && !path.includes("api")) expect(answer.text).toMatch(/^<!doctype html>/);
    expect(answer.text).not.toContain('"dependencies"');
  });

  test("a body that is too large is refused, and so is one of which a part is missing", async () => {
    const headers = { ...own(), origin: url.origin };
    const path = "/api/attention/redrive/preview";
    const post = (body: string) => ask({ method: "POST", path, headers, body });
    expect((await post("x".repeat(65 * 1024))).status).toBe(413);
    const half = await post('{"ids":["0123456789ab"');
    expect({ status: half.status, code: codeOf(half) }).toEqual({
      status: 400,
      code: "wrong-usage",
    });
  });

  test.each([
    ["/api/replay/preview", { to: "fulfilment", order: "a\udc00b" }],
    ["/api/attention/redrive/preview", { ids: [["\ud800"]] }],
  ])("half a surrogate pair sent to %s is refused, with the reason", async (path, body) => {
    const { status, json } = await page.post(path, body);
    expect({ status, ...json }).toEqual({
      status: 400,
      error: {
        code: "wrong-usage",
        message: "A string in the request contains a lone surrogate.",
      },
    });
  });

  test("a body that is nested as deep as its size allows is answered as any other", async () => {
    const headers = { ...own(), origin: url.origin };
    const body = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    const path = "/api/dead-letters/redrive/preview";
    expect((await ask({ method: "POST", path, headers, body })).status).toBe(400);
  });

  test.each([`/api/orders/${"x".repeat(257)}`, `/api/attention/list?order=${"x".repeat(257)}`])(
    "an address that names more than an id can hold is refused: %s",
    async (path) => {
      expect(await page.ask(path)).toMatchObject({
        status: 400,
        json: { error: { message: "A part of the address is too long." } },
      });
    },
  );

  test("an unknown address of a person is the page, so that a reload works anywhere", async () => {
    const { status, text } = await ask({ path: "/orders/%2E%2E?x=<b>", headers: own() });
    expect(status).toBe(200);
    expect(text).not.toContain("<b>");
  });
});

test("changes are reported only to a page that has the token", async () => {
  const stream = await fetch(`${url.origin}/api/live`, { headers: own() });
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  await stream.body?.cancel();
  const foreign = await ask({ path: "/api/live", headers: { ...own(), origin: "null" } });
  expect(foreign.status).toBe(403);
});

test("only this machine reaches it", async () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  for (const address of [...outside, "127.0.0.2"]) {
    await expect(reach(address)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  }
  await expect(reach("127.0.0.1")).resolves.toBeUndefined();
});

function reach(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(url.port) }, () => {
      socket.destroy();
      resolve();
    });
    socket.on("error", reject);
  });
}
