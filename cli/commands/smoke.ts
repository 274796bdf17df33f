import { smoke as group } from "../../operations/smoke/smoke.ts";
import { commandOf } from "../frame/described-command.ts";

export const smoke = commandOf(group);
