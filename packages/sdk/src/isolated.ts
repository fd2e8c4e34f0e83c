import type { HandlerModule } from '@signalbox/worker';
import { type MembersOf, refuseUnknown } from './known-members.ts';
import type { Handler } from './work.ts';

declare const types: unique symbol;

/** A handler in a file of its own, run where it cannot hurt the worker. */
export interface IsolatedHandler<Input, Output> extends HandlerModule {
  /** Only for the type checker; never there. */
  readonly [types]?: Handler<Input, Output>;
}

export interface IsolatedOptions {
  /** The name of the export; `default` where it is absent. */
  readonly export?: string;
  /** A thread starts sooner; a process survives everything. A thread where nothing is said. */
  readonly isolation?: 'thread' | 'process';
}

const ISOLATED_MEMBERS = {
  export: true,
  isolation: true,
} as const satisfies MembersOf<IsolatedOptions>;

/**
 * `isolated<typeof import('./resize.ts').resize>(new URL('./resize.ts', import.meta.url), { export:
 * 'resize' })`: the type comes from the file, the code is loaded only where it runs.
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
