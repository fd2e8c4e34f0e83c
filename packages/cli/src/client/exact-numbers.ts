import { UserError } from '../user-error.ts';

/**
 * Refuses numbers that JSON cannot carry: sent as they are, `Infinity` and `NaN` become null, which for
 * many settings means "none", and a whole number past 2^53 becomes another.
 */
export function requireExact<T>(value: T, where: string, path = ''): T {
  if (typeof value === 'number') {
    const isExact =
      Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (!isExact) {
      const at = path === '' ? '' : ` at ${path}`;
      throw new UserError(
        'usage',
        `${where}: the number ${value}${at} cannot be sent exactly; write it as a string`,
      );
    }
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) requireExact(item, where, `${path}[${i}]`);
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [name, item] of Object.entries(value)) {
      requireExact(item, where, path === '' ? name : `${path}.${name}`);
    }
  }
  return value;
}
