import type { BeatResult, Lease } from '../lease.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Row } from './connection/pipeline.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { listLeases as listLeasesSql } from './sql/leases/list-leases.ts';
import { releaseLease as releaseLeaseSql } from './sql/leases/release-lease.ts';
import { renewLease } from './sql/leases/renew-lease.ts';
import { deleteNode } from './sql/nodes/delete-node.ts';
import { listNodes } from './sql/nodes/list-nodes.ts';
import { upsertNode } from './sql/nodes/upsert-node.ts';

export async function beat(
  database: Database,
  request: Parameters<Store['beat']>[0],
): Promise<BeatResult> {
  const { node, address, ttlMs, leases } = request;
  requireTexts({ node, address });
  const steps = [
    step(upsertNode(database.schema), 3, (writer) => {
      writer.text(node);
      writer.text(address);
      writer.int8(ttlMs);
    }),
    step(renewLease(database.schema), 4, (writer) => {
      writer.text(node);
      writer.int8(ttlMs);
      writer.int4s(leases.map(({ partition }) => partition));
      writer.int8s(leases.map(({ epoch }) => epoch));
    }),
    step(listNodes(database.schema)),
  ];
  const [, renewedRows = [], nodes = []] = await database.pipeline(database.leases, steps);
  const renewedNames = new Set(renewedRows.map((row) => `${row['partition']} ${row['epoch']}`));
  const renewed: number[] = [];
  const lost: number[] = [];
  for (const { partition, epoch } of leases) {
    (renewedNames.has(`${partition} ${epoch}`) ? renewed : lost).push(partition);
  }
  return { nowMs: Number(nodes[0]?.['now_ms']), nodes: nodes.flatMap(toNode), renewed, lost };
}

/** Without live nodes the result is one row with the time only. */
function toNode({ node, address }: Row): { node: string; address: string }[] {
  return typeof node === 'string' && typeof address === 'string' ? [{ node, address }] : [];
}

export async function releaseLease(
  database: Database,
  lease: { partition: number; owner: string; epoch: number },
): Promise<void> {
  const { partition, owner, epoch } = lease;
  requireTexts({ owner });
  const release = step(releaseLeaseSql(database.schema), 3, (writer) => {
    writer.int4(partition);
    writer.text(owner);
    writer.int8(epoch);
  });
  await database.pipeline(database.leases, [release]);
}

export async function forgetNode(database: Database, node: string): Promise<void> {
  requireTexts({ node });
  const forget = step(deleteNode(database.schema), 1, (writer) => writer.text(node));
  await database.pipeline(database.leases, [forget]);
}

export async function listLeases(database: Database): Promise<Lease[]> {
  const rows = await database.read<{
    partition: number;
    owner: string;
    epoch: number;
    expires_at_ms: number;
  }>(step(listLeasesSql(database.schema)));
  return rows.map(({ partition, owner, epoch, expires_at_ms: expiresAtMs }) => ({
    ...{ partition, owner, epoch, expiresAtMs },
  }));
}
