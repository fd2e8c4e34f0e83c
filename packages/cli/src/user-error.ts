import type { ExitName } from './exit-codes.ts';

/** Something the person can mend: one line, a hint where there is one, and no stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exit: ExitName;
  readonly hint: string | undefined;

  constructor(exit: ExitName, message: string, hint?: string) {
    super(message);
    this.exit = exit;
    this.hint = hint;
  }
}
