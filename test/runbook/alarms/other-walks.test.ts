import { otherWalks, take } from "./walks.ts";

take(otherWalks);
