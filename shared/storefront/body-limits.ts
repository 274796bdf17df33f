/** The largest order of §2 and §8 has under 700 KB if every character is escaped as \uXXXX. */
export const mostOrderBytes = 1024 * 1024;

/** A field of an item is inside four containers: the body, the order, the list and the item. */
export const deepestField = 4;
export const longestPointer = 100;
/** Of one check. Pointers to everything in an odd body could fill the memory. */
export const mostLooked = 500;
