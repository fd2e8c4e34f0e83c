import { StoreError } from './errors.ts';

/** A fraction does not fit PostgreSQL's column, and other stores would compare it in silence. */
export function requireTime(field: string, ms: number): void {
  if (!Number.isSafeInteger(ms)) {
    throw new StoreError('invalid', `${field} must be a time in milliseconds, not ${ms}`);
  }
}
