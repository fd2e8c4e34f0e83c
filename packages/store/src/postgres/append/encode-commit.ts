import type { InboxEntry } from '../../contract/inbox.ts';
import type { Commit, CommitPart } from '../../contract/journal.ts';
import type { EndRow, RunRow } from '../../contract/runs.ts';
import { distinctKeys, entriesTaken, requestedKeys } from '../../taken-keys.ts';
import { type Step, silentStep } from '../connection/step.ts';
import { bindEndBlocks, bindRunBlocks } from '../row-blocks/bind-row-blocks.ts';
import { type Cut, cutEnds, cutRuns, type RowBlock } from '../row-blocks/cut-row-blocks.ts';
import {
  bindBounds,
  bindSpans,
  floorOf,
  SPAN_PARAMETERS,
  spansOfBlocks,
} from '../row-blocks/spans.ts';
import { insertEndBlocks } from '../sql/ends/insert-end-blocks.ts';
import { insertEnds } from '../sql/ends/insert-ends.ts';
import { refuseCoveredEnds } from '../sql/ends/refuse-covered-ends.ts';
import { refuseEndsInBlocks } from '../sql/ends/refuse-ends-in-blocks.ts';
import { insertGroup } from '../sql/groups/insert-group.ts';
import { deleteInbox } from '../sql/inbox/delete-inbox.ts';
import { insertInbox } from '../sql/inbox/insert-inbox.ts';
import { insertAliases } from '../sql/keys/insert-aliases.ts';
import { insertKeys } from '../sql/keys/insert-keys.ts';
import { takeKeys } from '../sql/keys/take-keys.ts';
import { insertParked } from '../sql/parked/insert-parked.ts';
import { insertRunBlocks } from '../sql/runs/insert-run-blocks.ts';
import { insertKeyedRuns, insertRuns } from '../sql/runs/insert-runs.ts';
import { refuseCoveredRuns } from '../sql/runs/refuse-covered-runs.ts';
import { appendGuard } from '../sql/session/append-guard.ts';
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
  bindRequestedKeys,
  bindRuns,
  commonEnd,
  commonRun,
} from './bind-rows.ts';

const NONE: readonly InboxEntry[] = [];

export type AppendStep = Step & { readonly kind: StepKind };
/** What a step writes; determines what a refusal of the step means. */
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
 * A commit as the statements of one round trip; rows that a commit does not have cost nothing. The
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
  const requested = requestedKeys(commit);
  const isKeyed = requested.length > claims;
  const add = (kind: StepKind, added: Step): number => steps.push({ kind, ...added });
  if (claims > 0 || (isKeyed && inbox > 0)) {
    const distinct = distinctKeys(requested);
    const taken = [...entriesTaken(commit)];
    add(
      'keys',
      silentStep(takeKeys(schema), 6, (w) => bindRequestedKeys(w, distinct, taken)),
    );
  } else if (isKeyed)
    add(
      'keys',
      silentStep(insertKeys(schema), 4, (w) => bindKeys(w, requested)),
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
        silentStep(insertInbox(schema), 13, (w) => bindEntry(w, entry)),
      );
    }
  }
  return steps;
}

interface Target {
  readonly schema: string;
  readonly add: (kind: StepKind, added: Step) => void;
}

/** Single runs are not compared with row blocks: only the owner assigns ids, and a probe costs a tenth of the commit. */
function addRuns(
  { schema, add, isKeyed }: Target & { isKeyed: boolean },
  { singles, blocks }: Cut<RunRow>,
): void {
  if (blocks.length > 0) {
    add('runs', refuseCovered(refuseCoveredRuns(schema), blocks));
    add(
      'runs',
      silentStep(insertRunBlocks(schema), 11, (w) => bindRunBlocks(w, blocks)),
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

function addEnds({ schema, add }: Target, { singles, blocks }: Cut<EndRow>): void {
  // Before the row blocks of this commit are written, which the probe would scan.
  if (singles.length > 0) add('ends', refuseInBlocks(schema, singles));
  if (blocks.length > 0) {
    add('ends', refuseCovered(refuseCoveredEnds(schema), blocks));
    add(
      'ends',
      silentStep(insertEndBlocks(schema), 8, (w) => bindEndBlocks(w, blocks)),
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

function refuseCovered(statement: Statement, blocks: readonly RowBlock<EndRow | RunRow>[]): Step {
  return silentStep(statement, SPAN_PARAMETERS, (w) => bindSpans(w, spansOfBlocks(blocks)));
}

function refuseInBlocks(schema: string, ends: readonly EndRow[]): Step {
  return silentStep(refuseEndsInBlocks(schema), 4, (w) => {
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
