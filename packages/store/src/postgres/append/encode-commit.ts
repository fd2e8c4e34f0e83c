import type { Commit, CommitPart, InboxEntry } from '../../store.ts';
import { type Step, silentStep } from '../connection/step.ts';
import { appendGuard } from '../sql/append-guard.ts';
import { deleteInbox } from '../sql/delete-inbox.ts';
import { insertEnds } from '../sql/insert-ends.ts';
import { insertGroup } from '../sql/insert-group.ts';
import { insertInbox } from '../sql/insert-inbox.ts';
import { insertAliases, insertKeys } from '../sql/insert-keys.ts';
import { insertParked } from '../sql/insert-parked.ts';
import { insertKeyedRuns, insertRuns } from '../sql/insert-runs.ts';
import {
  bindAliases,
  bindEnds,
  bindEntry,
  bindGroups,
  bindInbox,
  bindKeyedRuns,
  bindKeys,
  bindParked,
  bindRuns,
  commonEnd,
  commonRun,
} from './bind-rows.ts';

const NONE: readonly InboxEntry[] = [];

export type AppendStep = Step & { readonly kind: StepKind };
/** What a step writes; says what a refusal of the step means. */
export type StepKind =
  | 'guard'
  | 'groups'
  | 'keys'
  | 'aliases'
  | 'runs'
  | 'ends'
  | 'parked'
  | 'inbox';

/**
 * A commit as the statements of one round trip; what a commit does not have costs nothing. The
 * order matters twice: fence before keys before rows is the order in which a refusal is reported,
 * and all commits and schema changes lock the tables in it.
 */
export function encodeCommit(
  { schema, statementTimeoutMs }: { schema: string; statementTimeoutMs: number },
  commit: Commit,
  token: number,
): AppendStep[] {
  const { parts } = commit;
  const counts = countRows(parts);
  const steps: AppendStep[] = [
    {
      kind: 'guard',
      ...silentStep(appendGuard(schema), 2, (writer) => {
        writer.int8(token);
        writer.text(String(statementTimeoutMs));
      }),
    },
    {
      kind: 'groups',
      ...silentStep(insertGroup(schema), 8, (writer) => {
        bindGroups(writer, commit);
        writer.int8(token);
      }),
    },
  ];
  const { runs, ends, parked, keys, aliases, inbox } = counts;
  const add = (kind: StepKind, added: Step): number => steps.push({ kind, ...added });
  if (keys > 0)
    add(
      'keys',
      silentStep(insertKeys(schema), 3, (w) => bindKeys(w, parts, keys)),
    );
  if (aliases > 0)
    add(
      'aliases',
      silentStep(insertAliases(schema), 3, (w) => bindAliases(w, parts, aliases)),
    );
  if (runs > 0) {
    const common = commonRun(parts);
    const form = common === null ? 'mixed' : 'alike';
    const columns = { parts, count: runs, common };
    add(
      'runs',
      keys === 0
        ? silentStep(insertRuns[form](schema), 8, (w) => bindRuns(w, columns))
        : silentStep(insertKeyedRuns[form](schema), 9, (w) => bindKeyedRuns(w, columns)),
    );
  }
  if (ends > 0) {
    const common = commonEnd(parts);
    const form = common === null ? 'mixed' : 'alike';
    add(
      'ends',
      silentStep(insertEnds[form](schema), 6, (w) => bindEnds(w, { parts, count: ends, common })),
    );
  }
  if (parked > 0)
    add(
      'parked',
      silentStep(insertParked(schema), 5, (w) => bindParked(w, parts, parked)),
    );
  if (inbox > 0)
    add(
      'inbox',
      silentStep(deleteInbox(schema), 1, (w) => bindInbox(w, parts, inbox)),
    );
  for (const { inboxPut } of parts) {
    for (const entry of inboxPut ?? NONE) {
      add(
        'inbox',
        silentStep(insertInbox(schema), 9, (w) => bindEntry(w, entry)),
      );
    }
  }
  return steps;
}

function countRows(parts: readonly CommitPart[]) {
  const counts = { runs: 0, ends: 0, parked: 0, keys: 0, aliases: 0, inbox: 0 };
  for (const part of parts) {
    counts.runs += part.runs.length;
    counts.ends += part.ends.length;
    counts.parked += part.parked.length;
    counts.aliases += part.aliases.length;
    counts.inbox += part.inboxTaken.length;
    for (const run of part.runs) counts.keys += run.keys.length;
  }
  return counts;
}
