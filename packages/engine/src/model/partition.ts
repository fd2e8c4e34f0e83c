/** 32-bit FNV-1a with a final mix: spreads well over few buckets, and is the same everywhere. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** All runs of a job share a partition, so that the job's own limits and windows have one owner. */
export function partitionOf(tenant: string, job: string, partitions: number): number {
  return hashText(`${tenant}\n${job}`) % partitions;
}

/** Rendezvous hashing: who should own a partition. When a node comes or goes, only its share moves. */
export function preferredOwner(partition: number, nodes: readonly string[]): string | null {
  let best: string | null = null;
  let bestScore = -1;
  for (const node of nodes) {
    const score = hashText(`${partition}\n${node}`);
    if (score > bestScore || (score === bestScore && best !== null && node < best)) {
      best = node;
      bestScore = score;
    }
  }
  return best;
}
