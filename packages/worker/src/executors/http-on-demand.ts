import type { Executor } from '../executor.ts';
import { checkOptions, type HttpExecutorOptions } from './http/http-options.ts';

/**
 * The `http` executor, loaded with the first request: its HTTP client takes some 20 MB, which a
 * worker that runs handlers only should not pay for.
 */
export function httpExecutor(options: HttpExecutorOptions = {}): Executor {
  checkOptions(options);
  let loading: Promise<Executor> | null = null;
  const load = async (): Promise<Executor> => {
    const module = await import('./http/http-executor.ts');
    return module.httpExecutor(options);
  };
  return {
    name: 'http',
    run: async (attempt) => {
      loading ??= load();
      return (await loading).run(attempt);
    },
  };
}
