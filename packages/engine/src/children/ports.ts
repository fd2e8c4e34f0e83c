import type { JobSpec, TaskDefinition } from '../model/spec.ts';
import type { TaskState } from '../model/states.ts';

/** What an expression may look at. Outputs are bytes; whoever evaluates reads them as JSON. */
export interface Scope {
  readonly input: Uint8Array | null;
  /** Parents by name. */
  readonly tasks: ReadonlyMap<
    string,
    { readonly state: TaskState; readonly output: Uint8Array | null }
  >;
  /** Of a wait for an event: the event. */
  readonly event?: Uint8Array;
}

export type Judged = { readonly value: boolean } | { readonly error: string };

export interface Reads {
  readonly input: boolean;
  readonly tasks: boolean;
}

/** What the output of a dynamic task asks for. */
export interface Addition {
  readonly tasks: readonly TaskDefinition[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/**
 * What the engine is handed because it has no business knowing it: the language of conditions, and
 * the schema of definitions. Both must answer the same to the same question.
 */
export interface GraphPorts {
  judge(expression: string, scope: Scope): Judged;
  /** What an expression looks at: what it does not look at need not be there to judge it. */
  reads(expression: string): Reads;
  readAddition(spec: JobSpec, output: Uint8Array): Addition | { readonly error: string };
}

/** An engine that was handed none refuses what would need one. */
export const NO_PORTS: GraphPorts = {
  judge: () => ({ error: 'this engine cannot evaluate conditions' }),
  reads: () => ({ input: false, tasks: false }),
  readAddition: () => ({ error: 'this engine cannot add tasks' }),
};
