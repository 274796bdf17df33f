import { check as group } from "../../operations/check/check.ts";
import { commandOf } from "../frame/described-command.ts";

export const check = commandOf(group);
