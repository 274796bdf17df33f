import { quarantine as group } from "../../operations/quarantine/quarantine.ts";
import { commandOf } from "../frame/described-command.ts";

export const quarantine = commandOf(group);
