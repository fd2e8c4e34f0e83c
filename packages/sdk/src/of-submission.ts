import { SignalboxError } from './errors.ts';

/** Names the field as a submission has it, or one of a list: not where a body of bytes says it. */
export function ofSubmission(error: SignalboxError, count: number): SignalboxError {
  const inList = error.field?.replace(/^shared\./, 'items[0].');
  const field = count === 1 ? inList?.replace(/^items\[0\]\./, '') : inList;
  if (field === error.field) return error;
  const prefix = `${error.field}: `;
  const { message } = error;
  const text = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return new SignalboxError(error.code, text, { ...error, field });
}
