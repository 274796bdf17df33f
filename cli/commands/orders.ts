import { orders as group } from "../../operations/orders/orders.ts";
import { commandOf } from "../frame/described-command.ts";

export const orders = commandOf(group);
