/** Why this version of Node cannot run Paycast, or undefined if it can. */
export function refusalOfNode(version: string): string | undefined;
