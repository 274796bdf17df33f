import type { Target } from "./target.ts";

/** Makes something once for each target, and keeps it as long as the target is in use. */
export function keptFor<T>(make: (target: Target) => T): (target: Target) => T {
  const made = new WeakMap<Target, T>();
  return (target) => {
    const kept = made.get(target) ?? make(target);
    made.set(target, kept);
    return kept;
  };
}
