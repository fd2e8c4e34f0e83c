import type { BeatResult } from '../lease.ts';
import { LEASE_MS_MAX } from '../lease-length.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { renewLease } from './sql/leases/renew-lease.ts';
import { deleteNode } from './sql/nodes/delete-node.ts';
import { listNodes } from './sql/nodes/list-nodes.ts';
import { upsertNode } from './sql/nodes/upsert-node.ts';

export function beat(context: Context, request: Parameters<Store['beat']>[0]): BeatResult {
  const { db, now } = context;
  const { node, address, ttlMs, leases } = request;
  requireTexts({ node, address });
  return db.write(() => {
    const nowMs = now();
    const expiresAtMs = nowMs + ttlMs;
    db.run(upsertNode, node, address, expiresAtMs);
    const renewed: number[] = [];
    const lost: number[] = [];
    for (const { partition, epoch } of leases) {
      const isRenewed = db.run(renewLease, expiresAtMs, partition, node, epoch) === 1;
      (isRenewed ? renewed : lost).push(partition);
    }
    return { nowMs, nodes: liveNodes(context), renewed, lost };
  });
}

export function forgetNode({ db }: Context, node: string): void {
  requireTexts({ node });
  db.write(() => db.run(deleteNode, node));
}

export function liveNodes({ db, now }: Context): { node: string; address: string }[] {
  const nowMs = now();
  return db
    .all(listNodes, nowMs, nowMs + LEASE_MS_MAX)
    .map((row) => ({ node: row['node'] as string, address: row['address'] as string }));
}
