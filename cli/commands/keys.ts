import { keys as group } from "../../operations/keys/keys.ts";
import { commandOf } from "../frame/described-command.ts";

export const keys = commandOf(group);
