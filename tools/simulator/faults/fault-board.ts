import { randomUUID } from "node:crypto";
import {
  type AnswerFault,
  type CallbackFault,
  type Fault,
  faultSchema,
  isAnswerFault,
  isOfCreate,
} from "./fault.ts";

export interface ActiveFault {
  readonly id: string;
  readonly fault: Fault;
  /** How many more times it applies. Undefined: until it is switched off. */
  left: number | undefined;
}

/** The active faults. */
export class FaultBoard {
  readonly #log: (line: string) => void;
  #active: ActiveFault[] = [];

  /** `log` receives a line when a fault is switched on, switched off or used up. */
  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Throws a ZodError if the input is invalid. */
  add(input: unknown): ActiveFault {
    const fault = faultSchema.parse(input);
    const active = { id: randomUUID(), fault, left: fault.times };
    this.#active.push(active);
    this.#log(`${nameOf(active)} is on`);
    return active;
  }

  list(): readonly ActiveFault[] {
    return this.#active;
  }

  remove(id: string): boolean {
    const removed = this.#active.find((active) => active.id === id);
    if (removed === undefined) return false;
    this.#active = this.#active.filter((active) => active !== removed);
    this.#log(`${nameOf(removed)} is off`);
    return true;
  }

  clear(): void {
    for (const { id } of this.#active) this.remove(id);
  }

  /** The faults for this callback. Each call counts as a use. */
  takeForCallback(orderNo: string, eventName: string): CallbackFault[] {
    return this.#take(orderNo).flatMap(({ fault, use }) => {
      if (isAnswerFault(fault) || !canSpoil(fault, eventName)) return [];
      use();
      return [fault];
    });
  }

  /** The faults for this response. Each call counts as a use. */
  takeForAnswer(operation: "create" | "query", orderNo: string | undefined): AnswerFault[] {
    return this.#take(orderNo).flatMap(({ fault, use }) => {
      if (!isAnswerFault(fault) || !concerns(fault, operation)) return [];
      use();
      return [fault];
    });
  }

  #take(orderNo: string | undefined): { fault: Fault; use: () => void }[] {
    return this.#active
      .filter(({ fault }) => fault.orderNo === undefined || fault.orderNo === orderNo)
      .map((active) => ({ fault: active.fault, use: () => this.#use(active) }));
  }

  #use(active: ActiveFault): void {
    if (active.left === undefined) return;
    active.left -= 1;
    if (active.left === 0) this.remove(active.id);
  }
}

function nameOf({ fault: { kind, orderNo } }: ActiveFault): string {
  return orderNo === undefined ? `fault ${kind}` : `fault ${kind} for ${orderNo}`;
}

/** Only a success can be duplicated. Other callbacks must not use up the fault. */
function canSpoil(fault: CallbackFault, eventName: string): boolean {
  return fault.kind !== "duplicate-payment" || eventName === "payment.order.success";
}

function concerns(fault: AnswerFault, operation: "create" | "query"): boolean {
  if (!("operation" in fault)) return !isOfCreate(fault.kind) || operation === "create";
  return fault.operation === undefined || fault.operation === operation;
}
