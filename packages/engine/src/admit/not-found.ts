import type { Answer } from '../commands.ts';

/** Not live here: it has ended, or it never was. The store knows which. */
export const NO_SUCH_RUN: Answer = {
  kind: 'refused',
  code: 'not_found',
  message: 'there is no live run with this id',
};
