import { defaultProfile, type Profile } from "./profile.ts";

/** What to paste: the fields of a profile that differ from the default. */
export function changesFromDefault(profile: Profile): Partial<Profile> {
  const defaults = new Map<string, unknown>(Object.entries(defaultProfile));
  return Object.fromEntries(
    Object.entries(profile).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults.get(name)),
    ),
  );
}

/** How many settings of a profile differ from the default. */
export function distanceFromDefault(profile: Profile): number {
  return Object.keys(changesFromDefault(profile)).length + profile.unsignedFields.length;
}
