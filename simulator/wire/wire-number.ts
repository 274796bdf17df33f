import type { WritableJson } from "./exact-json.ts";
import type { WireProfile } from "./profile.ts";

/** Some services send numbers as strings (§2.2, §2.10). The profile says which way this one does. */
export function numberOnWire(value: number | undefined, profile: WireProfile): WritableJson {
  return profile.numbers === "number" || value === undefined ? value : String(value);
}
