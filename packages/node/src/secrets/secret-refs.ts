import type { SecretRef } from '@signalbox/protocol';

/** `command` or `http` of a task as it is stored: the fields that can contain references. */
export interface WorkWithSecrets {
  readonly env?: Texts;
  readonly headers?: Texts;
}

type Texts = Readonly<Record<string, string | SecretRef>>;

const FIELDS = ['env', 'headers'] as const;

export function isSecretRef(value: unknown): value is SecretRef {
  return typeof value === 'object' && value !== null && 'secret' in value;
}

/** The names of the secrets that the work refers to, each once. */
export function secretNames(work: WorkWithSecrets | undefined): readonly string[] {
  const names = new Set<string>();
  for (const field of FIELDS) {
    for (const value of Object.values(work?.[field] ?? {})) {
      if (isSecretRef(value)) names.add(value.secret);
    }
  }
  return [...names];
}

/** The work with values in place of references, as the worker receives it. */
export function withSecrets<W extends WorkWithSecrets>(
  work: W,
  values: ReadonlyMap<string, string>,
): W {
  const filled: Record<string, Record<string, string>> = {};
  for (const field of FIELDS) {
    const texts = work[field];
    if (texts !== undefined) filled[field] = withValues(texts, (name) => values.get(name) ?? '');
  }
  return { ...work, ...filled };
}

export function withValues(texts: Texts, read: (secret: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      isSecretRef(value) ? read(value.secret) : value,
    ]),
  );
}
