import { randomBytes } from 'node:crypto';

/** Unique over starts of the process by its random part, over requests by its counter. */
export function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
