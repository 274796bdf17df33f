import { inspect } from "node:util";
import { expect } from "vitest";

/** The error of this class that an action throws. Fails the test if the action ends well or throws anything else. */
export function thrownBy<E extends Error>(
  kind: abstract new (...given: never[]) => E,
  action: () => unknown,
): E {
  try {
    action();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

/** The message of the error that an action throws, or "accepted". */
export function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
}

/** Fails the test if one of these values is anywhere in the error, or may be in its cause. */
export function expectToHide(error: Error, values: readonly string[]): void {
  expect(error).not.toHaveProperty("cause");
  const whole = inspect(error, { depth: 10, showHidden: true });
  for (const value of values) expect(whole).not.toContain(value);
}
