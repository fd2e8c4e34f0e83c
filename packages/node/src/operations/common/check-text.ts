import { ApiError } from '../../errors/api-error.ts';

/** Text that a store cannot keep (NUL, a lone surrogate) is refused before anything is decided. */
export function requirePlain(field: string, text: string): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  throw new ApiError('invalid', `${field} contains a NUL character or a lone surrogate`, { field });
}

/**
 * Every text in a value, keys included, by walking it with a list of its own: a value nested
 * thousands deep must not overflow the stack.
 */
export function requirePlainDeep(field: string, value: unknown): void {
  // JSON writes exactly these as escapes, so most values need no walk.
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000') && !text.includes('\\ud')) return;
  const left: { path: string; value: unknown }[] = [{ path: field, value }];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item.value === 'string') requirePlain(item.path, item.value);
    else if (Array.isArray(item.value)) {
      for (const [i, each] of item.value.entries()) {
        left.push({ path: `${item.path}[${i}]`, value: each });
      }
    } else if (typeof item.value === 'object' && item.value !== null) {
      for (const [key, each] of Object.entries(item.value)) {
        requirePlain(item.path, key);
        left.push({ path: item.path === '' ? key : `${item.path}.${key}`, value: each });
      }
    }
  }
}
