const AUTHORIZATION = 'authorization';

/**
 * True if the header occurs more than once. Node.js keeps the first one, while a proxy may check another: both
 * would act on different keys.
 */
export function hasTwoAuthorizations(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count++;
  }
  return count > 1;
}
