import type { DamagedRow as DamagedRowView, Doctor } from '@signalbox/protocol';
import type { DamagedRow, RowKind } from '@signalbox/store';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { operation } from '../common/operation.ts';

const ROWS_MAX = 100;
/** Below this, clocks of machines that are kept in time differ. */
const CLOCK_OFFSET_MS_MAX = 1_000;

type Check = Doctor['checks'][string];

/** What an operator should look at, and what to do about it. The same from any node of a cluster. */
export const examine = operation(async (context): Promise<Doctor> => {
  const rows = await context.store.listDamagedRows({ after: null, limit: ROWS_MAX + 1 });
  const checks: Doctor['checks'] = {
    store: { ok: true, detail: 'the store responds' },
    clock: await checkClock(context),
    partitions: await checkPartitions(context),
    damagedRows: checkRows(rows),
  };
  const isWell = Object.values(checks).every(({ ok }) => ok);
  return {
    status: isWell ? 'ok' : 'attention',
    checks,
    damagedRows: rows.slice(0, ROWS_MAX).map(view),
    version: context.version,
  };
});

/** Removes rows from the list, after a repair; a row that is still damaged is listed when it is read again. */
export const forgetDamagedRows = operation(
  async (context, _caller, { id }: { id: string | null }): Promise<{ forgotten: number }> => {
    if (id === null) return { forgotten: await context.store.forgetDamagedRows(null) };
    const end = id.indexOf('/');
    const row = { kind: id.slice(0, Math.max(0, end)), key: id.slice(end + 1) };
    const forgotten = await context.store.forgetDamagedRows(row);
    if (forgotten === 0) throw new ApiError('not_found', 'there is no damaged row with this id');
    return { forgotten };
  },
);

async function checkClock({ store }: NodeContext): Promise<Check> {
  const before = Date.now();
  const storeMs = await store.now();
  const offsetMs = Math.round(storeMs - (before + Date.now()) / 2);
  const detail = `the clock of the store differs from the clock of this node by ${offsetMs} ms`;
  if (Math.abs(offsetMs) <= CLOCK_OFFSET_MS_MAX) return { ok: true, detail };
  return { ok: false, detail, advice: 'Synchronise the clocks of the machines.' };
}

/** A partition that no node can read is taken and given up again and again, so its lease may be held. */
async function checkPartitions({ store, loop, partitions }: NodeContext): Promise<Check> {
  const now = await store.now();
  const leases = await store.listLeases();
  const held = leases.filter(({ expiresAtMs }) => expiresAtMs > now).length;
  const stopped = (await store.listStopped())
    .map(({ partition }) => partition)
    .filter((partition) => !loop.hasRead(partition));
  if (stopped.length === 0) {
    const detail = `${held} of ${partitions} partitions have an owner`;
    const advice = 'Wait for a take-over, or start more nodes.';
    return held === partitions ? { ok: true, detail } : { ok: false, detail, advice };
  }
  const detail = `stopped, because their facts cannot be read: ${stopped.join(', ')}`;
  return { ok: false, detail, advice: ADVICE.group };
}

function checkRows(rows: readonly DamagedRow[]): Check {
  const count = rows.length > ROWS_MAX ? `more than ${ROWS_MAX}` : String(rows.length);
  const detail = `${count} damaged rows were found`;
  if (rows.length === 0) return { ok: true, detail };
  const advice = 'Check the disk and the memory of the database server, then repair each row.';
  return { ok: false, detail, advice };
}

function view({ kind, key, partition, tenant, error, atMs }: DamagedRow): DamagedRowView {
  const at = new Date(atMs).toISOString();
  return { id: `${kind}/${key}`, kind, key, partition, tenant, error, at, advice: ADVICE[kind] };
}

const ADVICE: Readonly<Record<RowKind, string>> = {
  group:
    'The partition is stopped. Restore the group from a backup; the partition is taken over again within a minute.',
  checkpoint: 'Nothing: the checkpoint before it, or the journal, is used instead.',
  run: 'Restore the row from a backup and restart the node, or submit the work again.',
  end: 'The run has ended, but its result cannot be shown. Restore the row from a backup.',
  key: 'Submissions under this idempotency key are refused. Restore the row of the table "keys" from a backup; or delete the row if no run has the key.',
  parked:
    'The run is not started. Restore the row of the table "parked" from a backup and restart the node, or submit the work again.',
  blob: 'Requests and tasks that need the payload fail. Restore the file or object from a backup, or submit the work again.',
  inbox: 'The submission was not started. Submit it again, under the same idempotency key if any.',
  definition:
    'Save the definition again, for example with "signalbox apply". For runs of an older job version, restore the row from a backup and restart the node.',
};
