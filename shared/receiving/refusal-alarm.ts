/** Fewer refusals than this may be single requests of a stranger. */
export const fewestRefusals = 3;

/** With wrong keys all callbacks are refused. If so many are refused, real callbacks of the service may be among them. */
export const refusedPercent = 25;
