import type { FailureClass } from '../facts/reasons.ts';

const SIGNAL_OUT_OF_MEMORY = 137;

/** Words that tell a failure's class. Resource first: "Cannot allocate memory" is not a mere refusal. */
export const FAILURE_WORDS: readonly {
  readonly class: FailureClass;
  readonly words: readonly string[];
  /** Answers of a server; whole numbers only, or every fourth order number would be one. */
  readonly status?: RegExp;
}[] = [
  {
    class: 'resource',
    words: [
      'out of memory',
      'outofmemory',
      'memoryerror',
      'bad_alloc',
      'oomkilled',
      'oom-killed',
      'heap limit',
      'cannot allocate memory',
      'enomem',
      'enospc',
      'no space left',
      'disk quota exceeded',
      'memory limit',
    ],
  },
  {
    class: 'transient',
    words: [
      'timeout',
      'timed out',
      'etimedout',
      'econnreset',
      'econnrefused',
      'epipe',
      'eai_again',
      'ehostunreach',
      'enetunreach',
      // What `fetch` says of every failure of the network, in the shape of a TypeError.
      'fetch failed',
      'socket hang up',
      'connection reset',
      'connection refused',
      'temporarily unavailable',
      'service unavailable',
      'too many requests',
      'rate limit',
      'deadlock',
      'try again',
    ],
    status: /\b(429|502|503|504)\b/,
  },
  {
    class: 'permanent',
    words: [
      'permission denied',
      'eacces',
      'unauthorized',
      'forbidden',
      'access denied',
      'not found',
      'enoent',
      'no such file',
      'invalid argument',
      'invalid input',
      'validation',
      'syntaxerror',
      'syntax error',
      'typeerror',
      'referenceerror',
      'schema mismatch',
      'unsupported',
      'already exists',
    ],
  },
];

/** FLT-01: the class of a failure that its worker did not state. What is not recognised may pass. */
export function classify(error: string, exitCode: number | undefined): FailureClass {
  if (exitCode === SIGNAL_OUT_OF_MEMORY) return 'resource';
  const text = error.toLowerCase();
  for (const { class: failureClass, words, status } of FAILURE_WORDS) {
    if (words.some((word) => text.includes(word))) return failureClass;
    if (status?.test(text)) return failureClass;
  }
  return 'transient';
}
