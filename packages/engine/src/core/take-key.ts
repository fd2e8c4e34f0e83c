import { keysOfHead } from '../model/keys-of-head.ts';
import { entryKey } from '../model/reserved-key.ts';
import type { RunHead } from '../model/run.ts';
import type { Core } from './core.ts';
import type { KeyHolder } from './recent-keys.ts';

interface Submission {
  readonly spec: { readonly tenant: string };
  readonly head: RunHead;
}

/**
 * The run that memory knows under the key, or under the id of the inbox entry. The key of an entry is
 * reserved for it in the store: a run that memory still knows under that key is one whose key retention
 * has dropped since, and the entry's client was told that the submission is new.
 */
export function holderOfKey(core: Core, { spec, head }: Submission): KeyHolder | undefined {
  const name = head.inbox === undefined ? head.key : entryKey(head.inbox);
  return name === undefined ? undefined : core.keys.get(spec.tenant, name, core.now);
}

/** The submission is this run: its keys stand for the run, provisionally until the group is durable. */
export function takeKey(core: Core, { spec, head }: Submission, holder: KeyHolder): void {
  const { tenant } = spec;
  const group = core.groupNumber;
  const at = core.now;
  for (const key of keysOfHead(head)) core.keys.set({ tenant, key, holder, group, at });
}

/** The group that decides about a key of the submission; null where none is provisional. */
export function groupOfKey(core: Core, { spec, head }: Submission): number | null {
  const { tenant } = spec;
  for (const key of keysOfHead(head)) {
    const group = core.keys.provisionalGroup(tenant, key);
    if (group !== null) return group;
  }
  return null;
}
