import { callbackWalks } from "./callback-walks.ts";
import { take } from "./walks.ts";

take(callbackWalks);
