import { deadLetters as group } from "../../operations/dead-letters/dead-letters.ts";
import { commandOf } from "../frame/described-command.ts";

export const deadLetters = commandOf(group);
