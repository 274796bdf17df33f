/** Fewer refusals than this may be single requests of a stranger. */
export const fewestRefusals = 3;

/** With wrong keys all callbacks are refused. From this share on, the service's own may be among them. */
export const refusedPercent = 25;
