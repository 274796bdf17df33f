import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestOptions, request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type Listening, listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { until } from "../end-to-end/running-stack.ts";
import { openBrowser } from "../setup/browser.ts";
import { watchOutput } from "../setup/watch-output.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface SpawnedShop {
  readonly output: () => string;
  /** The exit code, once the shop has ended. */
  readonly ended: Promise<number | null>;
  /** Ctrl-C. */
  readonly interrupt: () => void;
}

/** The shop in a process of its own. */
export function spawnShop(environment: Record<string, string>): SpawnedShop {
  const child = spawn(process.execPath, ["--import", "tsx", "examples/shop/shop.ts"], {
    cwd: root,
    env: { ...process.env, ...environment },
  });
  return { ...watchOutput(child), interrupt: () => void child.kill("SIGINT") };
}

/** Slow enough that an order does not expire during a test. */
const clockSpeed = 20;

/** The local stack, the shop before it and a browser. Between shop and API stands a line that can be cut. */
export function useShop() {
  const stack = useOperatedStack({}, clockSpeed);
  let browser: Browser;
  let shop: SpawnedShop;
  let line: Listening;
  let isCut = false;
  const address = () => stack.stack().description.shop;
  const folder = join(stack.directory, "shop");
  /** The description of the stack, as if a consumer of the Lab read these queues. */
  const describeAgain = (readInLab: string[]) => {
    const { description } = stack.stack();
    const queues = { ...description.queues, readInLab };
    const described = { ...description, api: line.endpoint, queues };
    writeFileSync(join(folder, "local.json"), JSON.stringify(described));
  };

  beforeAll(async () => {
    const { description } = stack.stack();
    line = await listenOnLoopback(passOnTo(description.api, () => isCut));
    mkdirSync(folder);
    describeAgain([]);
    shop = spawnShop({ PAYCAST_DIRECTORY: folder });
    await until("the shop to open", () => {
      return shop.output().includes("The shop is open") ? true : undefined;
    });
    browser = await openBrowser();
  });
  afterEach(async () => {
    isCut = false;
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    shop?.interrupt();
    expect(await shop?.ended).toBe(0);
    await line?.stop();
  });

  const visit = async (path = "/", options: BrowserContextOptions = {}) => {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(address() + path);
    return page;
  };
  return {
    stack,
    address,
    visit,
    output: () => shop.output(),
    describeAgain,
    cutTheLine: () => {
      isCut = true;
    },
    joinTheLine: () => {
      isCut = false;
    },
    /** What the terminal says about an order. */
    linesOf: (orderNo: string) => linesOf(shop.output(), orderNo),
    untilShown: async (text: string) => {
      await until(`the terminal to say: ${text}`, () =>
        shop.output().includes(text) ? true : undefined,
      );
    },
    /** Presses Buy on the shelf. Gives the order's number. */
    orderTea: async (page: Page) => {
      await page.getByRole("button", { name: "Buy Sencha" }).click();
      await page.waitForURL(/\/(checkout|orders)\//);
      return await orderNoOn(page);
    },
    /** The same by the forms alone, for a test about what comes later. The visitor's page is still empty. */
    newOrder: async () => {
      const page = await (await browser.newContext()).newPage();
      const { request } = page.context();
      const shelf = await (await request.get(address())).text();
      const [, orderNo = ""] = /name="orderNo" value="([\w-]+)"/.exec(shelf) ?? [];
      const { location = "" } = (
        await request.post(`${address()}/orders`, {
          headers: { origin: address() },
          form: { orderNo, tea: "sencha" },
          maxRedirects: 0,
        })
      ).headers();
      return { page, orderNo, paymentId: location.split("/").at(-1) ?? "" };
    },
    /**
     * Presses the button for a new try after an order has ended. The page may have the end from the payment service's
     * answer, before it is stored, and Paycast tells the next who asks what is stored.
     */
    payAgain: async (page: Page, orderNo: string, end: "failed" | "timeout") => {
      await stack.untilStored(orderNo, end);
      await page.getByRole("button", { name: /again/ }).click();
      await page.waitForURL(/\/checkout\//);
    },
    heading: (page: Page) => page.getByRole("heading", { level: 1 }).innerText(),
    untilHeading: async (page: Page, heading: string) => {
      await page.getByRole("heading", { level: 1, name: heading }).waitFor({ timeout: 30_000 });
    },
  };
}

function linesOf(output: string, orderNo: string): string[] {
  const names = new RegExp(`${orderNo}(?![\\w-])`);
  return output.split("\n").filter((line) => names.test(line));
}

async function orderNoOn(page: Page): Promise<string> {
  return orderNoIn(await page.locator("body").innerText());
}

function orderNoIn(text: string): string {
  return /TEA-[0-9A-F]+(-\d+)?/.exec(text)![0];
}

function passOnTo(api: string, isCut: () => boolean) {
  return createServer(async (request, response) => {
    if (isCut()) return void request.socket.destroy();
    const body = request.method === "POST" ? await new Response(request as never).text() : null;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(api + request.url, { method: request.method!, headers, body });
    const type = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": type }).end(await answer.text());
  });
}

interface ShopAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly policy: string;
}

/** Not with `fetch`, which chooses the Host and Origin headers itself. */
export function askShop(url: string, options: RequestOptions, body = ""): Promise<ShopAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const { location, "content-security-policy": policy } = answer.headers;
      answer.resume();
      resolve({ status: answer.statusCode!, location, policy: String(policy) });
    });
    sent.on("error", reject).end(body);
  });
}

/** Sends a form as the shop's own page does, unless the headers say otherwise. */
export async function postForm(
  address: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string>,
): Promise<ShopAnswer> {
  const body = new URLSearchParams(fields).toString();
  const usual = { origin: address, "content-length": String(body.length) };
  return await askShop(address + path, { method: "POST", headers: { ...usual, ...headers } }, body);
}
