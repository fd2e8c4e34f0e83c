import type { Commit, CommitPart, EndRow, InboxEntry, RunRow } from '../../store.ts';
import { distinctKeys, entriesTaken, wantedKeys } from '../../taken-keys.ts';
import { type Step, silentStep } from '../connection/step.ts';
import { bindEndPacks, bindRunPacks } from '../packs/bind-packs.ts';
import { type Cut, cutEnds, cutRuns, type Pack } from '../packs/cut-packs.ts';
import { bindBounds, bindSpans, floorOf, SPAN_PARAMETERS, spansOfPacks } from '../packs/spans.ts';
import { appendGuard } from '../sql/append-guard.ts';
import { deleteInbox } from '../sql/delete-inbox.ts';
import { insertEnds } from '../sql/insert-ends.ts';
import { insertGroup } from '../sql/insert-group.ts';
import { insertInbox } from '../sql/insert-inbox.ts';
import { insertAliases, insertKeys, takeKeys } from '../sql/insert-keys.ts';
import {
  insertEndPacks,
  insertRunPacks,
  refuseCoveredEnds,
  refuseCoveredRuns,
  refusePackedEnds,
} from '../sql/insert-packs.ts';
import { insertParked } from '../sql/insert-parked.ts';
import { insertKeyedRuns, insertRuns } from '../sql/insert-runs.ts';
import type { Statement } from '../sql/statement.ts';
import {
  bindAliases,
  bindEnds,
  bindEntry,
  bindGroupChecksums,
  bindGroups,
  bindInbox,
  bindKeyedRuns,
  bindKeys,
  bindParked,
  bindRuns,
  bindWantedKeys,
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
      ...silentStep(insertGroup(schema), 9, (writer) => {
        bindGroups(writer, commit);
        writer.int8(token);
        bindGroupChecksums(writer, commit);
      }),
    },
  ];
  const { parked, claims, aliases, inbox } = counts;
  const wanted = wantedKeys(commit);
  const isKeyed = wanted.length > claims;
  const add = (kind: StepKind, added: Step): number => steps.push({ kind, ...added });
  if (claims > 0 || (isKeyed && inbox > 0)) {
    const distinct = distinctKeys(wanted);
    const taken = [...entriesTaken(commit)];
    add(
      'keys',
      silentStep(takeKeys(schema), 6, (w) => bindWantedKeys(w, distinct, taken)),
    );
  } else if (isKeyed)
    add(
      'keys',
      silentStep(insertKeys(schema), 4, (w) => bindKeys(w, wanted)),
    );
  if (aliases > 0)
    add(
      'aliases',
      silentStep(insertAliases(schema), 5, (w) => bindAliases(w, parts, aliases)),
    );
  addRuns({ schema, add, isKeyed }, cutRuns(parts));
  addEnds({ schema, add }, cutEnds(parts));
  if (parked > 0)
    add(
      'parked',
      silentStep(insertParked(schema), 6, (w) => bindParked(w, parts, parked)),
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
        silentStep(insertInbox(schema), 12, (w) => bindEntry(w, entry)),
      );
    }
  }
  return steps;
}

interface Target {
  readonly schema: string;
  readonly add: (kind: StepKind, added: Step) => void;
}

/** Whether a pack has a single run already nobody asks: only its owner numbers it, and a probe costs a tenth. */
function addRuns(
  { schema, add, isKeyed }: Target & { isKeyed: boolean },
  { singles, packs }: Cut<RunRow>,
): void {
  if (packs.length > 0) {
    add('runs', refuseCovered(refuseCoveredRuns(schema), packs));
    add(
      'runs',
      silentStep(insertRunPacks(schema), 11, (w) => bindRunPacks(w, packs)),
    );
  }
  if (singles.length === 0) return;
  const common = commonRun(singles);
  const form = common === null ? 'mixed' : 'alike';
  const columns = { runs: singles, common };
  add(
    'runs',
    isKeyed
      ? silentStep(insertKeyedRuns[form](schema), 11, (w) => bindKeyedRuns(w, columns))
      : silentStep(insertRuns[form](schema), 10, (w) => bindRuns(w, columns)),
  );
}

function addEnds({ schema, add }: Target, { singles, packs }: Cut<EndRow>): void {
  // Before this commit's own packs are there: they would only be in the way.
  if (singles.length > 0) add('ends', refusePacked(schema, singles));
  if (packs.length > 0) {
    add('ends', refuseCovered(refuseCoveredEnds(schema), packs));
    add(
      'ends',
      silentStep(insertEndPacks(schema), 8, (w) => bindEndPacks(w, packs)),
    );
  }
  if (singles.length === 0) return;
  const common = commonEnd(singles);
  const form = common === null ? 'mixed' : 'alike';
  add(
    'ends',
    silentStep(insertEnds[form](schema), 8, (w) => bindEnds(w, { ends: singles, common })),
  );
}

function refuseCovered(statement: Statement, packs: readonly Pack<EndRow | RunRow>[]): Step {
  return silentStep(statement, SPAN_PARAMETERS, (w) => bindSpans(w, spansOfPacks(packs)));
}

function refusePacked(schema: string, ends: readonly EndRow[]): Step {
  return silentStep(refusePackedEnds(schema), 4, (w) => {
    const ids = ends.map(({ id }) => id);
    w.uuids(ids.map(floorOf));
    w.uuids(ids);
    bindBounds(w, ids, ids);
  });
}

function countRows(parts: readonly CommitPart[]) {
  const counts = { parked: 0, claims: 0, aliases: 0, inbox: 0 };
  for (const part of parts) {
    counts.parked += part.parked.length;
    counts.aliases += part.aliases.length;
    counts.claims += part.claims?.length ?? 0;
    counts.inbox += part.inboxTaken.length;
  }
  return counts;
}
