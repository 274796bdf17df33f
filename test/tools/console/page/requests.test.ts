import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { functionLogFile } from "../../../../tools/operations/local-stack/local-description.ts";
import { hasBrowser } from "../../../setup/browser.ts";
import { stackName, useDeployedStack } from "../../operations/deployed-stack.ts";
import { useOperatedStack } from "../../operations/operated-stack.ts";
import { useBrowser } from "../browser-pages.ts";
import { findViolations } from "../find-violations.ts";
import { serveDeployed } from "../serve-deployed.ts";

describe.runIf(hasBrowser("the view of the requests"))("the view of the requests", () => {
  const operated = useOperatedStack();
  const deployed = useDeployedStack(operated);
  const localUrl = () => operated.stack().description.console;
  const { open } = useBrowser(localUrl);
  let page: Page;
  let served: Awaited<ReturnType<typeof serveDeployed>> | undefined;
  beforeEach(async () => {
    served ??= await serveDeployed();
  });
  afterAll(async () => {
    expect(await served?.stop()).toBe(0);
  });

  const openLocal = async (path: string, url = localUrl()) => {
    page = await open(path, { viewport: { width: 1440, height: 900 } }, url);
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  };
  const openDeployed = (path: string) => openLocal(path, served?.url);
  const row = (name: RegExp) => page.getByRole("row", { name });

  test("tells each request as it comes, with its private reason, and leads to the order", async () => {
    await openLocal("/requests");
    await page.getByText("No requests in this time.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    const { shop, stack } = operated;
    await fetch(`${stack().description.api}/callbacks`, { method: "POST", body: "{}" });
    await row(/POST \/callbacks 400 not-an-envelope/).waitFor();
    await shop().fault("refuse-creates", "REFUSED-1", { code: 40103, msg: "no" });
    await shop().create("REFUSED-1");
    await row(/POST \/orders 502 gateway-refused 40103 REFUSED-1/).waitFor();
    const { body } = await shop().create("GOOD-1");
    await shop().fault("wrong-key", "GOOD-1", { attempts: 1 });
    await shop().act(body.paymentId, "pay");
    const forged = row(/POST \/callbacks 401 wrong-signature/).last();
    await forged.waitFor();
    await operated.untilStored("GOOD-1", "success");
    await row(/POST \/callbacks 200 – GOOD-1/)
      .first()
      .waitFor();
    await fetch(`${stack().description.api}/orders/NOBODY-1`);
    await row(/GET \/orders\/\{orderNo\} 404 order-unknown NOBODY-1/).waitFor();
    await forged.getByRole("button").click();
    await page.getByText("The service's key does not verify the signature").waitFor();
    expect(new URL(page.url()).searchParams.get("open")).toMatch(/^[0-9a-f]{12}$/);
    await page.reload();
    await page.getByText("The service's key does not verify the signature").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await row(/POST \/orders 201/)
      .getByRole("link", { name: "GOOD-1" })
      .click();
    await page.getByRole("heading", { level: 1, name: /GOOD-1/ }).waitFor();
  });

  test("is limited to a route, an answer and a reason by its address, and by its fields", async () => {
    const rows = async () =>
      (await page.getByRole("row").allInnerTexts()).slice(1).map((text) => text.split("\t")[3]);
    await openLocal("/requests?route=callbacks&answer=refused");
    await row(/wrong-signature/)
      .first()
      .waitFor();
    expect([...new Set(await rows())]).toEqual(["wrong-signature", "not-an-envelope"]);
    await page.getByLabel("Route", { exact: true }).selectOption("storefront");
    await row(/REFUSED-1/).waitFor();
    expect(await rows()).toEqual(["gateway-refused 40103"]);
    await page.getByLabel("Reason", { exact: true }).fill("order-unknown");
    // What is being typed stays when the page is drawn again.
    await page.getByLabel("Answer", { exact: true }).selectOption("");
    await row(/NOBODY-1/).waitFor();
    await page.getByLabel("Reason", { exact: true }).press("Enter");
    await page.waitForURL(({ search }) => search === "?route=storefront&reason=order-unknown");
    await page.getByLabel("Answer", { exact: true }).selectOption("failed");
    await page.getByRole("link", { name: "Show every request of the last hour" }).click();
    await row(/POST \/callbacks 401/)
      .first()
      .waitFor();
  });

  test("the command lists the same, and says what it does not know", async () => {
    const { out, code } = await operated.paycast("requests", "--answer", "refused");
    expect(code).toBe(0);
    expect(out).toMatch(
      /POST \/orders {5}502 refused {2}gateway-refused 40103 +shop-1 +REFUSED-1 +\d+ ms/,
    );
    const { requests, isWhole } = await operated.paycastJson("requests", "--reason", "40103");
    expect(isWhole).toBe(true);
    expect(requests).toMatchObject([{ line: { orderNo: "REFUSED-1", serviceCode: "40103" } }]);
    const wrong = await operated.paycast("requests", "--answer", "no");
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("--answer must be") });
    const functionLog = functionLogFile(operated.directory);
    deployed().logLines = readFileSync(functionLog, "utf8").trimEnd().split("\n");
    const there = await operated.paycast("requests", "--answer", "refused", "--stack", stackName);
    const listed = (text: string) =>
      text.split("\n").filter((line) => /(POST|GET) \/.* refused /.test(line));
    expect(listed(there.out)).toHaveLength(listed(out).length);
    expect(listed(out).length).toBeGreaterThan(2);
  });

  test("a long log of a deployed stack is read in short looks, which can be stopped and go on", async () => {
    const now = Date.now();
    deployed().logLines = Array.from({ length: 6_000 }, (_item, index) => {
      const timestamp = now - (6_000 - index) * 500;
      const accepted = { service: "receive-callback", outcome: "accepted", httpStatus: 200 };
      return JSON.stringify({
        ...accepted,
        timestamp,
        durationMilliseconds: 4,
        orderNo: `N-${index}`,
      });
    });
    const listed = await operated.paycast("requests", "--stack", stackName, "--local-time");
    expect(listed.out).toMatch(/ Continue with --until '[-\d]{10}T[\d:.]{12}Z'\n$/);
    await openDeployed("/requests?route=callbacks");
    await page.getByRole("button", { name: "Search further back" }).waitFor();
    expect(await page.getByRole("row").count()).toBe(51);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Search further back" }).click();
    await page.getByText("100 found.").waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/requests?*until=*", async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.getByLabel("Answer", { exact: true }).selectOption("failed");
    await page.getByText(/Searching … Searched back to .*: 0 found\./).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^Searched back to .*: 0 found\.$/).waitFor();
    release();
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Search further back" }).click();
    await page.getByText("No request in this time matches.").waitFor();
  });

  test("a missing permission is named, and the view can be tried again", async () => {
    deployed().denied.add("logs:FilterLogEvents");
    await openDeployed("/requests");
    await page.getByRole("alert").getByText("logs:FilterLogEvents").waitFor();
    expect(await findViolations(page)).toEqual([]);
    deployed().denied.clear();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No requests in this time.").waitFor();
  });
});
