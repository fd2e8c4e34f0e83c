import type { RunId } from '@signalbox/engine';
import type { Commit, HeldKey } from '../../store.ts';

/** Every key that a run of the commit takes, in the order of the commit. */
export function wantedKeys(commit: Commit): HeldKey[] {
  return commit.parts.flatMap(({ runs }) =>
    runs.flatMap(({ tenant, id, keys }) => keys.map((key) => ({ tenant, key, run: id }))),
  );
}

/** Whether two runs of one commit want the same key: found out here, not by the server. */
export function repeatsKey(wanted: readonly HeldKey[]): boolean {
  return new Set(wanted.map(nameOf)).size < wanted.length;
}

/**
 * I2. The keys that cannot be taken, with the runs that hold them. Within one commit the first run
 * that names a key gets it, so for a later one the holder is that earlier run.
 */
export function takenKeys(wanted: readonly HeldKey[], stored: readonly HeldKey[]): HeldKey[] {
  const holders = new Map<string, RunId>(stored.map((held) => [nameOf(held), held.run]));
  const taken = new Map<string, HeldKey>();
  for (const { tenant, key, run } of wanted) {
    const name = nameOf({ tenant, key });
    const holder = holders.get(name);
    if (holder === undefined) holders.set(name, run);
    else taken.set(name, { tenant, key, run: holder });
  }
  return [...taken.values()];
}

/** No text holds a NUL, so two names never run together. */
function nameOf({ tenant, key }: { tenant: string; key: string }): string {
  return `${tenant}\0${key}`;
}
