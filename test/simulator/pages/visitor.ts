import { expect } from "vitest";
import type { RunningSimulator } from "../running-simulator.ts";

/** A browser without scripts, for tests of what the pages say. */
export function visitorOf(running: RunningSimulator) {
  const read = async (path: string) => await (await fetch(running.simulator.url + path)).text();

  /** Presses a button as a browser does, and does not follow the redirect. */
  const press = async (path: string, fields: Record<string, string>, headers = {}) => {
    const body = new URLSearchParams(fields);
    const init = { method: "POST", body, headers, redirect: "manual" } as const;
    return await fetch(running.simulator.url + path, init);
  };

  /** Presses a button and gives the page that a browser shows after the redirect. */
  const pressAndRead = async (path: string, fields: Record<string, string>): Promise<string> => {
    const pressed = await press(path, fields);
    expect(pressed.status).toBe(303);
    return await read(String(pressed.headers.get("location")));
  };

  const expectShown = async (path: string, texts: readonly string[]): Promise<void> => {
    const shown = await read(path);
    for (const text of texts) expect(shown).toContain(text);
  };
  return { read, press, pressAndRead, expectShown };
}
