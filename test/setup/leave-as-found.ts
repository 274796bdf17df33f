import { afterAll, vi } from "vitest";

const found = { ...process.env };

/** The next test file of this worker starts with the same environment, clock and functions as this one. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
