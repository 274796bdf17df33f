import { allWalks, firstWalks, take } from "./walks.ts";

take(allWalks.filter((walk) => !firstWalks.includes(walk)));
