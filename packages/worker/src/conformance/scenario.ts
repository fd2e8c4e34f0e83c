import { type ScriptedNode, Violation } from './scripted-node.ts';

/** The worker that is tried, wherever it runs. */
export interface Subject {
  /** Asks it to leave in good order, as SIGTERM does; resolves when it is gone. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface Stage {
  readonly node: ScriptedNode;
  readonly subject: Subject;
  readonly key: string;
}

export interface Scenario {
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

export function demand(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Violation(otherwise);
}
