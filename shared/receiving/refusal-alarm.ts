/** Fewer refusals than this may be single requests of a stranger. */
export const fewestRefusals = 3;

/**
 * A shop with few orders never has three callbacks in a quarter of an hour. So some alarms look at six hours, and ring if
 * so many callbacks were missing, refused or verified by outdated keys, and not one was as it should be.
 */
export const quietShopMinutes = 6 * 60;
export const fewestInQuietShop = 3;

/** With wrong keys all callbacks are refused. If so many are refused, real callbacks of the service may be among them. */
export const refusedPercent = 25;
