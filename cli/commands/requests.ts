import { requests as group } from "../../operations/requests/requests.ts";
import { commandOf } from "../frame/described-command.ts";

export const requests = commandOf(group);
