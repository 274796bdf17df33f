import { firstWalks, take } from "./walks.ts";

take(firstWalks);
