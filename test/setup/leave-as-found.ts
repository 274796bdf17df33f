import { afterAll, vi } from "vitest";

const environment = process.env;
const found = { ...environment };

/** The next test file of this worker starts with the same environment, clock and functions as this one. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  // A copy in its place would not change the time zone of the process.
  process.env = environment;
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
