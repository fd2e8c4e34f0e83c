import type { Caller, NodeContext } from '../context/index.ts';
import type { AuditNote } from './route.ts';

interface Change {
  /** The version after the change. */
  readonly version: number;
  /** The outcome or the new state, as the log shows it. */
  readonly outcome: string;
  /** The version that was read before, where the outcome does not say whether anything changed. */
  readonly seen?: number;
}

/** Notes the versions before and after a change of a definition; each change makes the next one. */
export function noteVersion(note: AuditNote, { version, outcome, seen }: Change): void {
  const isSame = outcome === 'unchanged' || seen === version;
  const before = isSame ? version : version - 1;
  if (before > 0) note.before = `version ${before}`;
  note.after = `version ${version}, ${outcome}`;
}

/** The newest version of a definition, 0 if it does not exist. */
export async function newestVersion(
  { store }: NodeContext,
  { tenant }: Caller,
  of: { readonly kind: string; readonly name: string },
): Promise<number> {
  return (await store.getDefinition({ tenant, ...of }))?.version ?? 0;
}
