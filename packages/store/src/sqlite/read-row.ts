import { formatRunId, readRunId } from '@signalbox/engine';
import type { InboxEntry } from '../contract/inbox.ts';
import type { Group } from '../contract/journal.ts';
import type { RunRow, StoredRun } from '../contract/runs.ts';
import type { RowPlace } from '../damage/damaged-rows.ts';
import { damagedRun } from '../damage/damaged-run.ts';
import type { Definition } from '../definition.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { toDefinition, toEnd, toGroup, toInboxEntry, toRun } from './rows.ts';

/* Rows as they are read by every caller: a damaged one is collected with its bytes. */

type Damage = Pick<Context, 'damage'>;

/** `damaged` if the group cannot be read: facts are never skipped. */
export function readGroupRow({ damage }: Damage, row: Row): Group {
  const partition = row['partition'] as number;
  const place = {
    kind: 'group',
    key: `${partition}/${row['seq']}`,
    partition,
    tenant: null,
  } as const;
  return damage.require(place, row, () => toGroup(row));
}

export function readRunRow({ damage }: Damage, row: Row): RunRow | null {
  return damage.read(placeOf('run', row), row, () => toRun(row));
}

/** A run and its end; null where one of the two is damaged. */
export function readStoredRun(context: Damage, row: Row): StoredRun | null {
  const run = readRunRow(context, row);
  const end = context.damage.read(placeOf('end', row), row, () => ({ row: toEnd(row) }));
  return run === null || end === null ? null : { run, end: end.row };
}

/** For a list, in which a damaged run has its place. */
export function readListedRun(context: Damage, row: Row): StoredRun {
  return (
    readStoredRun(context, row) ??
    damagedRun(row['tenant'] as string, readRunId(row['id'] as Uint8Array))
  );
}

export function readEntry({ damage }: Damage, row: Row): InboxEntry | null {
  const place = {
    kind: 'inbox',
    key: row['id'] as string,
    partition: row['partition'] as number,
    tenant: row['tenant'] as string,
  } as const;
  return damage.read(place, row, () => toInboxEntry(row));
}

export function definitionPlace(row: Row): RowPlace {
  const tenant = row['tenant'] as string;
  const key = JSON.stringify([tenant, row['kind'], row['name'], row['version']]);
  return { kind: 'definition', key, partition: null, tenant };
}

/** For a list, in which a damaged version has its place. */
export function readListedDefinition({ damage }: Damage, row: Row): Definition {
  return (
    damage.read(definitionPlace(row), row, () => toDefinition(row)) ?? {
      tenant: row['tenant'] as string,
      kind: row['kind'] as string,
      name: row['name'] as string,
      version: row['version'] as number,
      body: '',
      author: row['author'] as string,
      atMs: row['at_ms'] as number,
      deleted: row['deleted'] === 1,
      damaged: true,
    }
  );
}

function placeOf(kind: 'end' | 'run', row: Row): RowPlace {
  const id = readRunId(row['id'] as Uint8Array);
  return { kind, key: formatRunId(id), partition: id.partition, tenant: row['tenant'] as string };
}
