import { compareText } from '../compare-text.ts';
import type { AcquireResult, BeatResult, Lease } from '../lease.ts';
import { isInForce } from '../lease-length.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { groupsOf, type MemoryState } from './state.ts';

export function acquireLease(
  state: MemoryState,
  request: Parameters<Store['acquireLease']>[0],
): AcquireResult {
  const { partition, owner, ttlMs, commitId } = request;
  requireTexts({ owner, commitId });
  const nowMs = state.now();
  const owned = state.ownership.get(partition);
  if (
    owned !== undefined &&
    owned.lease.owner !== owner &&
    isInForce(owned.lease.expiresAtMs, nowMs, state.leaseMsMax)
  ) {
    const { owner: holder, epoch, expiresAtMs } = owned.lease;
    return { kind: 'held', owner: holder, epoch, remainingMs: expiresAtMs - nowMs };
  }
  // I7: the epoch rises with every acquisition, also when an owner acquires its own lease again.
  const epoch = (owned?.lease.epoch ?? 0) + 1;
  const seq = (owned?.lastSeq ?? 0) + 1;
  const body = new Uint8Array(0);
  const fence = { partition, seq, epoch, commitId, atMs: nowMs, factCount: 0, body };
  groupsOf(state, partition).insert(fence);
  state.ownership.set(partition, {
    lease: { partition, owner, epoch, expiresAtMs: nowMs + ttlMs },
    lastSeq: seq,
  });
  return { kind: 'acquired', epoch, seq, nowMs };
}

export function beat(state: MemoryState, request: Parameters<Store['beat']>[0]): BeatResult {
  const { node, address, ttlMs } = request;
  requireTexts({ node, address });
  const nowMs = state.now();
  const expiresAtMs = nowMs + ttlMs;
  state.nodes.set(node, { address, expiresAtMs });
  const renewed: number[] = [];
  const lost: number[] = [];
  for (const { partition, epoch } of request.leases) {
    const owned = state.ownership.get(partition);
    if (owned !== undefined && owned.lease.owner === node && owned.lease.epoch === epoch) {
      state.ownership.set(partition, { ...owned, lease: { ...owned.lease, expiresAtMs } });
      renewed.push(partition);
    } else {
      lost.push(partition);
    }
  }
  return { nowMs, nodes: liveNodes(state), renewed, lost };
}

export function releaseLease(
  state: MemoryState,
  lease: { partition: number; owner: string; epoch: number },
): void {
  requireTexts({ owner: lease.owner });
  const owned = state.ownership.get(lease.partition);
  if (owned === undefined) return;
  if (owned.lease.owner !== lease.owner || owned.lease.epoch !== lease.epoch) return;
  const expiresAtMs = Math.min(owned.lease.expiresAtMs, state.now());
  state.ownership.set(lease.partition, { ...owned, lease: { ...owned.lease, expiresAtMs } });
}

export function forgetNode(state: MemoryState, node: string): void {
  requireTexts({ node });
  state.nodes.delete(node);
}

export function listLeases(state: MemoryState): Lease[] {
  return [...state.ownership.values()]
    .map(({ lease }) => ({ ...lease }))
    .sort((a, b) => a.partition - b.partition);
}

export function liveNodes(state: MemoryState): { node: string; address: string }[] {
  const nowMs = state.now();
  return [...state.nodes]
    .filter(([, { expiresAtMs }]) => isInForce(expiresAtMs, nowMs, state.leaseMsMax))
    .map(([node, { address }]) => ({ node, address }))
    .sort((a, b) => compareText(a.node, b.node));
}
