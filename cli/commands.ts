import type { Command } from "./command.ts";
import { detectProfile } from "./detect-profile.ts";

/** Every command of `npx paycast`, in the order of its help. */
export const commands: readonly Command[] = [detectProfile];
