import { PaycastError } from "../../../shared/errors/paycast-error.ts";

/** In place of something that a stack does not have: why it does not. */
export interface Unavailable {
  readonly unavailable: string;
}

export function isAvailable<Port extends object>(port: Port | Unavailable): port is Port {
  return !("unavailable" in port);
}

/** Undefined if the stack does not have it. Only for work that goes on without it. */
export function ifAvailable<Port extends object>(port: Port | Unavailable): Port | undefined {
  return isAvailable(port) ? port : undefined;
}

/** Throws `target-incomplete` with the reason. */
export function available<Port extends object>(port: Port | Unavailable): Port {
  if (isAvailable(port)) return port;
  throw new PaycastError("target-incomplete", port.unavailable);
}
