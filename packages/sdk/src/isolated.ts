import type { HandlerModule } from '@signalbox/worker';
import { type MembersOf, refuseUnknown } from './known-members.ts';
import type { Handler, IsolatedHandler } from './work.ts';

export interface IsolatedOptions {
  /** Name of the export. Default: `default`. */
  readonly export?: string;
  /** A thread starts faster; a process also contains crashes of native code. Default: `thread`. */
  readonly isolation?: 'thread' | 'process';
}

const ISOLATED_MEMBERS = {
  export: true,
  isolation: true,
} as const satisfies MembersOf<IsolatedOptions>;

/**
 * `isolated<typeof import('./resize.ts').resize>(new URL('./resize.ts', import.meta.url), { export:
 * 'resize' })`: the type comes from the file; the code is loaded only in the worker that runs it.
 */
export function isolated<H extends Handler<never, unknown>>(
  module: string | URL,
  options: IsolatedOptions = {},
): H extends Handler<infer Input, infer Output> ? IsolatedHandler<Input, Output> : never {
  refuseUnknown(`the isolated handler ${module}`, Object.keys(options), ISOLATED_MEMBERS);
  const { isolation = 'thread' } = options;
  const handler: HandlerModule = {
    module,
    isolation,
    ...(options.export !== undefined && { export: options.export }),
  };
  return handler as ReturnType<typeof isolated<H>>;
}
