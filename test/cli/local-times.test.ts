import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { columns } from "../../cli/frame/columns.ts";
import { withLocalTimes } from "../../cli/frame/terminal.ts";
import { runHere } from "./run-paycast.ts";

beforeAll(() => void vi.stubEnv("TZ", "Europe/Berlin"));
afterAll(() => void vi.unstubAllEnvs());

describe("with --local-time", () => {
  test.each([
    ["2026-11-15T10:22:45Z", "2026-11-15 11:22:45"],
    ["2026-07-15T22:22:45.123Z", "2026-07-16 00:22:45.123"],
    ["set at 2026-11-15T10:22:45Z, and valid.", "set at 2026-11-15 11:22:45, and valid."],
    [
      "a 2026-11-15T10:22:45Z b 2026-11-15T11:22:45Z",
      "a 2026-11-15 11:22:45 b 2026-11-15 12:22:45",
    ],
  ])("%s is shown as %s", (utc, local) => {
    expect(withLocalTimes(utc)).toBe(local);
  });

  test.each([
    '"time": "2026-11-15T10:22:45Z"',
    "npx paycast order '2026-11-15T10:22:45Z'",
    "2026-99-15T10:22:45Z",
    "x2026-11-15T10:22:45Z",
  ])("%s stays as it is: it is no time of the command's own", (text) => {
    expect(withLocalTimes(text)).toBe(text);
  });

  test("columns stay aligned", () => {
    const rows = [
      ["2026-11-15T10:22:45Z (12 min ago)", "one"],
      ["2026-11-15T10:22:45Z (3 days ago)", "two"],
    ];
    const lines = withLocalTimes(columns(["since", "what"], rows)).split("\n");
    expect(lines.slice(0, 3).map((line) => line.search(/what|one|two/))).toEqual([35, 35, 35]);
    const bare = withLocalTimes(columns(["since", "what"], [["2026-11-15T10:22:45Z", "one"]]));
    expect(bare).toBe("since                 what\n2026-11-15 11:22:45   one\n");
  });

  test("the zone is named once, before everything else", async () => {
    const { err } = await runHere(["check", "--local-time", "--bogus"]);
    expect(err).toMatch(/^Times are local: Europe\/Berlin\npaycast check: There is no option/);
  });

  test("JSON stays in UTC", async () => {
    const { err } = await runHere(["check", "--local-time", "--json", "--bogus"]);
    expect(err).not.toContain("Times are local");
  });
});
