import { randomUUID } from "node:crypto";
import { localAccountId, localRegion } from "../../../local/aws/emulator.ts";
import type { PhysicalIds } from "./physical-names.ts";
import type { Template } from "./template.ts";

/** A refusal, in CloudFormation's own words where they are known. */
export class Refused extends Error {
  readonly code: string;

  constructor(message: string, code = "ValidationError") {
    super(message);
    this.code = code;
  }
}

export interface StackResource {
  readonly type: string;
  readonly physicalId: string;
  status: string;
}

export interface ChangeSet {
  readonly name: string;
  readonly id: string;
  readonly type: "CREATE" | "UPDATE" | "IMPORT";
  readonly text: string;
  readonly template: Template;
  /** The physical ids of what is imported. */
  readonly imported: PhysicalIds;
  readonly changes: readonly { action: string; logicalId: string; type: string }[];
}

export interface Stack {
  readonly name: string;
  readonly id: string;
  status: string;
  /** As it was sent. */
  text: string;
  template: Template;
  readonly resources: Map<string, StackResource>;
  readonly events: object[];
  readonly changeSets: Map<string, ChangeSet>;
  isProtected: boolean;
  readonly createdAt: string;
  /** When its last operation ended. */
  endedAt: string;
}

export interface Stacks {
  readonly all: Stack[];
  add(stack: Stack): void;
  /** By name if it exists, by id also after it was deleted. Throws for an unknown one. */
  find(nameOrId: string): Stack;
  living(name: string): Stack | undefined;
}

export function createStacks(): Stacks {
  const all: Stack[] = [];
  const living = (name: string) => all.find((stack) => stack.name === name && isLiving(stack));
  return {
    all,
    living,
    add: (stack) => {
      if (!all.includes(stack)) all.push(stack);
    },
    find: (nameOrId) => {
      const found = all.find(({ id }) => id === nameOrId) ?? living(nameOrId);
      if (found !== undefined) return found;
      throw new Refused(`Stack with id ${nameOrId} does not exist`);
    },
  };
}

export function isLiving({ status }: Stack): boolean {
  return status !== "DELETE_COMPLETE";
}

/** A stack exists before its first change set is executed. */
export function newStack(name: string): Stack {
  const id = `arn:aws:cloudformation:${localRegion}:${localAccountId}:stack/${name}/${randomUUID()}`;
  const nothing = { text: "{}", template: { Resources: {} }, resources: new Map(), events: [] };
  const status = "REVIEW_IN_PROGRESS";
  const createdAt = new Date().toISOString();
  const unchanged = { changeSets: new Map(), isProtected: false, createdAt, endedAt: createdAt };
  return { name, id, status, ...nothing, ...unchanged };
}

/** What the CDK command follows while it waits. The newest event comes first. */
export function tellEvent(stack: Stack, status: string, resource?: [string, StackResource]): void {
  const [logicalId, { type, physicalId }] = resource ?? [
    stack.name,
    { type: "AWS::CloudFormation::Stack", physicalId: stack.id },
  ];
  stack.events.unshift({
    ...{ StackId: stack.id, StackName: stack.name, EventId: randomUUID() },
    ...{ LogicalResourceId: logicalId, PhysicalResourceId: physicalId, ResourceType: type },
    ...{ ResourceStatus: status, Timestamp: new Date().toISOString() },
  });
}

export function setStatus(stack: Stack, status: string): void {
  stack.status = status;
  stack.endedAt = new Date().toISOString();
  tellEvent(stack, status);
}
