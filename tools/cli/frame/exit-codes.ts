/** The same for every command, so that scripts can rely on them. */
export const exitCodes = {
  success: 0,
  negative: 1,
  wrongInput: 2,
  internal: 3,
  unavailable: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const { success, negative, wrongInput, internal, unavailable } = exitCodes;

/** Ends the help of every command that uses a target. */
export const exitCodesText =
  `Exit codes: ${success} success, ${negative} negative result, ${wrongInput} wrong usage or nothing to work on, ${internal} bug in paycast,\n` +
  `            ${unavailable} AWS or the payment service rejected the request or failed`;
