export type PathStep = string | number;

const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;
const PATH_MAX = 256;

/** `tasks[0].retry.maxAttempts`. A key that is not a plain word is quoted, and the whole is kept short: it is echoed. */
export function pathOf(steps: readonly PathStep[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (PLAIN.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step.slice(0, 64))}]`;
  }
  return path.length <= PATH_MAX ? path : `${path.slice(0, PATH_MAX)}…`;
}

/** From a JSON pointer; steps that are digits are taken for positions. */
export function stepsOf(pointer: string): PathStep[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
}
