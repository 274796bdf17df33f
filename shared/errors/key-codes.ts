import type { KeyCode } from "./error-codes.ts";

const keyCodes: readonly string[] = [
  "keys-unset",
  "keys-invalid",
  "profile-invalid",
  "profile-unsafe",
  "keys-unreachable",
  "body-not-decrypted",
] satisfies KeyCode[];

/** Whether an error is about keys. */
export function isKeyCode(code: string): code is KeyCode {
  return keyCodes.includes(code);
}
