import { type Answer, type Command, entryKey, keysOfHead } from '@signalbox/engine';
import type { HeldKey } from '@signalbox/store';
import type { Mail } from './mailbox.ts';

/** What a mail writes beside the facts of its decisions. */
export interface KeyWrites {
  readonly partition: number;
  /** The inbox entry that is taken out. */
  readonly inboxTaken: string | null;
  /** The name of an entry that turned out to be a run already: its client knows no other. */
  readonly alias: HeldKey | null;
  /** Keys of submissions that turned out to be a live run, by their unique value. */
  readonly claims: readonly HeldKey[];
}

/** A caller that waits for decisions to be durable, and is answered for all of them together. */
export interface Reply {
  readonly partition: number | null;
  readonly answers: readonly Answer[];
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly writes: KeyWrites | null;
  /** Kept where the store may refuse a key that it asks for: it is then decided again. */
  readonly mail: Mail | null;
}

interface ProvisionalKeys {
  provisionalGroup(tenant: string, key: string): number | null;
}

type AnsweredMail = Mail & { readonly resolve: Reply['resolve'] };

/** Whether a caller waits for its answers. */
export function isAnswered(mail: Mail): mail is AnsweredMail {
  return mail.resolve !== null;
}

/** `keys`: what memory knows, the decisions of the mail included. */
export function replyTo(
  mail: AnsweredMail,
  answers: readonly Answer[],
  keys: ProvisionalKeys,
): Reply {
  const { partition, resolve } = mail;
  const writes = keyWrites(mail, answers, keys);
  const isProvisional = (writes?.claims.length ?? 0) > 0 || takesKey(mail, answers);
  return { partition, answers, resolve, writes, mail: isProvisional ? mail : null };
}

function takesKey({ commands }: Mail, answers: readonly Answer[]): boolean {
  for (let i = 0; i < commands.length; i++) {
    const command = commands[i] as Command;
    if (command.kind !== 'submit' || answers[i]?.kind !== 'accepted') continue;
    if (command.head.key !== undefined || command.head.inbox !== undefined) return true;
  }
  return false;
}

/** The keys that the store may refuse to the reply. */
export function* keysOf({ mail, answers, writes }: Reply): Iterable<Omit<HeldKey, 'run'>> {
  if (writes !== null) yield* writes.claims;
  if (mail === null) return;
  for (const [i, command] of mail.commands.entries()) {
    if (command.kind !== 'submit' || answers[i]?.kind !== 'accepted') continue;
    const { tenant } = command.spec;
    for (const key of keysOfHead(command.head)) yield { tenant, key };
  }
}

function keyWrites(
  mail: Mail,
  answers: readonly Answer[],
  keys: ProvisionalKeys,
): KeyWrites | null {
  const { inboxEntry, partition } = mail;
  const [first, answer] = [mail.commands[0], answers[0]];
  if (partition === null || first === undefined || answer === undefined) return null;
  const claims = claimsOf(mail, answers, keys);
  if (inboxEntry === undefined) {
    return claims.length === 0 ? null : { partition, inboxTaken: null, alias: null, claims };
  }
  // What could not be decided yet stays in the inbox and is read again. So does the end of a wait that
  // claims the key of its nested run: once that is durable no submission can come before it.
  if (answers.some(({ kind }) => kind === 'refused')) return null;
  if (answers.at(-1)?.kind === 'duplicate' && mail.commands.at(-1)?.kind === 'cancelNested') {
    return { partition, inboxTaken: null, alias: null, claims };
  }
  const isRun = first.kind === 'submit' && answer.kind === 'duplicate';
  const key = entryKey(inboxEntry);
  const alias = isRun ? { tenant: first.spec.tenant, key, run: runOf(answer) } : null;
  return { partition, inboxTaken: inboxEntry, alias, claims };
}

/**
 * A submission under a key that is a live run by its unique value: the key is that run's from now
 * on, or sent again after its end it would be another. The store says whether the key is free;
 * memory may have forgotten whose it is. An entry gives its key on to the run that it is.
 */
function claimsOf(
  { commands, inboxEntry, taken }: Mail,
  answers: readonly Answer[],
  keys: ProvisionalKeys,
): readonly HeldKey[] {
  let claims: HeldKey[] | null = null;
  let ofNewRuns: ReadonlySet<string> | null = null;
  for (let i = 0; i < answers.length; i++) {
    const answer = answers[i] as Answer;
    if (answer.kind !== 'duplicate') continue;
    const { tenant, key, digest } = keyOf(commands[i] as Command);
    if (key === undefined) continue;
    ofNewRuns ??= keysOfNewRuns(commands, answers);
    if (ofNewRuns.has(key)) continue;
    // A key that memory has known for longer is the run's already.
    if (inboxEntry === undefined && keys.provisionalGroup(tenant, key) === null) continue;
    // The run is not of this request and does not say what its content was.
    const names = digest === undefined ? [key] : [key, contentKey(key, digest)];
    for (const name of names) {
      // The store has said already whose it is.
      if (taken?.has(tenant, name)) continue;
      claims ??= [];
      claims.push({ tenant, key: name, run: runOf(answer) });
    }
  }
  return claims ?? NO_CLAIMS;
}

const NO_CLAIMS: readonly HeldKey[] = [];

/** Keys that new runs of the same mail, which is of one tenant, take themselves. */
function keysOfNewRuns(commands: readonly Command[], answers: readonly Answer[]): Set<string> {
  const taken = new Set<string>();
  for (const [i, command] of commands.entries()) {
    if (command.kind !== 'submit' || answers[i]?.kind !== 'accepted') continue;
    if (command.head.key !== undefined) taken.add(command.head.key);
  }
  return taken;
}

function keyOf(command: Command): { tenant: string; key?: string; digest?: string } {
  switch (command.kind) {
    case 'cancelNested':
      return command;
    case 'submit': {
      const { key, digest } = command.head;
      const { tenant } = command.spec;
      if (key === undefined) return { tenant };
      return digest === undefined ? { tenant, key } : { tenant, key, digest };
    }
    default:
      return NO_KEY;
  }
}

const NO_KEY = { tenant: '' };

/** The key that says what the content of a request was, where no run of it does. */
export function contentKey(key: string, digest: string): string {
  return `${key}\u0001${digest}`;
}

function runOf({ partition, seq, ms }: HeldKey['run']): HeldKey['run'] {
  return { partition, seq, ms };
}
