/** Fewer refusals than this may be single requests of strangers. */
export const fewestRefusals = 3;

/**
 * A shop with few orders never has three callbacks within fifteen minutes. Some alarms therefore also evaluate six
 * hours: they go off if this many callbacks were missing, rejected or verified by outdated keys, and none was accepted
 * as usual.
 */
export const quietShopMinutes = 6 * 60;
export const fewestInQuietShop = 3;

/**
 * Wrong keys reject every callback. Above this percentage, real callbacks of the service may be among the rejected
 * ones.
 */
export const refusedPercent = 25;
