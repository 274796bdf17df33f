import type { RunbookSection } from "../../../infra/alarms/alarm-rules.ts";
import type { Scene } from "./scene.ts";

/** A trouble that is provoked, seen, fixed and over. */
export interface Walk {
  readonly trouble: string;
  readonly section: RunbookSection;
  /** The alarms that ring and end in it, by their names in the template. */
  readonly alarms: readonly string[];
  readonly take: (scene: Scene) => Promise<void>;
}
