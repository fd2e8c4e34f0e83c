import type { RunHead } from '@signalbox/engine';
import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';

/** When a run was live, by the commits of its submission and its end. */
export interface Lifetime {
  readonly from: number;
  to: number;
}

export function lifetimes({ journal }: Evidence): Map<string, Lifetime> {
  const lives = new Map<string, Lifetime>();
  for (const { partition, facts, t } of journal) {
    for (const packed of facts) {
      if (packed.kind === 'submittedAt') {
        lives.set(runKey({ partition, seq: packed.run.seq }), { from: t, to: Number.MAX_VALUE });
      }
      if (packed.kind !== 'endedAt') continue;
      const life = lives.get(runKey({ partition, seq: packed.seq }));
      if (life !== undefined) life.to = t;
    }
  }
  return lives;
}

/** Two runs that live at once and share a unique value; in the order of the journal. */
export function sharedUniques({ journal, runs }: Evidence): string[] {
  const uniques = new Map<string, string>();
  for (const { run } of runs) {
    if (!run.head.includes('"unique"')) continue;
    const { unique } = JSON.parse(run.head) as RunHead;
    uniques.set(runKey(run.id), JSON.stringify([run.tenant, run.job, unique]));
  }
  const live = new Map<string, string>();
  return journal.flatMap(({ partition, facts }) =>
    facts.flatMap((packed) => {
      if (packed.kind !== 'submittedAt' && packed.kind !== 'endedAt') return [];
      const seq = packed.kind === 'endedAt' ? packed.seq : packed.run.seq;
      const name = runKey({ partition, seq });
      const unique = uniques.get(name);
      if (unique === undefined) return [];
      const other = live.get(unique);
      if (packed.kind === 'endedAt') {
        if (other === name) live.delete(unique);
        return [];
      }
      live.set(unique, name);
      return other === undefined ? [] : [`runs ${other} and ${name} live at once as ${unique}`];
    }),
  );
}
