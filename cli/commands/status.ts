import { status as group } from "../../operations/overview/status.ts";
import { commandOf } from "../frame/described-command.ts";

export const status = commandOf(group);
