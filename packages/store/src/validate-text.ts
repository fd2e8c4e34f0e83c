import { StoreError } from './errors.ts';

/**
 * Refuses text that the databases treat differently: PostgreSQL accepts no NUL, and a lone surrogate cannot
 * be encoded as UTF-8, so SQLite would return another text.
 */
export function requireText(field: string, value: string): void {
  if (!value.isWellFormed() || value.includes('\0')) {
    throw new StoreError('invalid', `${field} contains a NUL character or a lone surrogate`);
  }
}

export function requireTexts(fields: Readonly<Record<string, string | null | undefined>>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string') requireText(field, value);
  }
}
