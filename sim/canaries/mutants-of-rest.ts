import { runKey } from '../names.ts';
import type { Quiet } from '../quiet.ts';
import { type Mutant, withFacts } from './mutant.ts';

/** Changes what was left when nothing went on any more. */
function atRest(name: string, caughtBy: string, change: (quiet: Quiet) => Partial<Quiet>): Mutant {
  return {
    name,
    caughtBy,
    mutate: (evidence) => ({
      ...evidence,
      quiet: { ...evidence.quiet, ...change(evidence.quiet) },
    }),
  };
}

/** Lies about shares of places, and about what is left in the end. */
export const MUTANTS_OF_REST: readonly Mutant[] = [
  {
    name: 'a tenant is not served while others are',
    caughtBy: 'C17',
    mutate: (evidence) => {
      const starved = evidence.runs.filter(({ run }) => run.tenant === 't1');
      const names = new Set(starved.map(({ run }) => runKey(run.id)));
      return withFacts(evidence, (packed, { partition }) => {
        const seq = packed.kind === 'endedAt' ? packed.seq : null;
        const assigned = packed.kind === 'fact' && packed.fact.kind === 'taskAssigned';
        const name = runKey({ partition, seq: assigned ? packed.fact.seq : (seq ?? -1) });
        return names.has(name) ? [] : [packed];
      });
    },
  },
  atRest('runs that have ended stay in memory', 'C18', ({ memory }) => ({
    memory: memory.map((each) => ({ ...each, ended: 10 * each.live + 500 })),
  })),
  atRest('an idle worker is taken for full', 'C18', () => ({ rooms: ['n0.1 takes w0 for full'] })),
  atRest('inputs beyond the limit are in memory', 'C18', () => ({
    inputs: [{ node: 'n0.1', partition: 0, bytes: 5_000, allowed: 4_000 }],
  })),
  atRest('somebody waits for an answer in the end', 'C19', () => ({
    unanswered: ['n0.1: execute unanswered for 20000 ms'],
  })),
];
