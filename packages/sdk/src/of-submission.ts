import { SignalboxError } from './errors.ts';

/** Renames the field of a batch to that of the submission, or of the item in the list. */
export function ofSubmission(error: SignalboxError, count: number): SignalboxError {
  const inList = error.field?.replace(/^shared\./, 'items[0].');
  const field = count === 1 ? inList?.replace(/^items\[0\]\./, '') : inList;
  if (field === error.field) return error;
  const prefix = `${error.field}: `;
  const { message } = error;
  const text = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return new SignalboxError(error.code, text, { ...error, field });
}
