import { keyWalks } from "./key-walks.ts";
import { take } from "./walks.ts";

take(keyWalks);
