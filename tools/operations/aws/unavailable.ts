import type { Unavailable } from "../ports/available.ts";

/** Why a stack does not have something that its config decides. */
export const noGateway: Unavailable = {
  unavailable: "The stack has no payment service in its config.",
};

export const noCapturing: Unavailable = {
  unavailable:
    'The stack captures no refused callbacks. Set "callbacks.captureUntil" in the config of the stack to a time in the next days, deploy, wait for the service to send a callback again, and run this command again. Or give one that you captured yourself with --callback FILE.',
};

export const noSmoke: Unavailable = {
  unavailable:
    'The stack has no merchant for smoke tests. Set "smoke": true in its config and deploy it.',
};
