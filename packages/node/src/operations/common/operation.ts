import { StoreError } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';

export type Operation<P, R> = (context: NodeContext, caller: Caller, params: P) => Promise<R>;

/** Wraps an operation: errors of the store become errors that the caller can act on. */
export function operation<P, R>(run: Operation<P, R>): Operation<P, R> {
  return async (context, caller, params) => {
    try {
      return await run(context, caller, params);
    } catch (error) {
      if (error instanceof StoreError) {
        context.log.warn({ event: 'store.failed', err: error }, 'store failed');
      }
      throw asApiError(error);
    }
  };
}

/** No other row is concerned. */
const DAMAGED_TEXT =
  'a stored row that this request needs is damaged; an operator finds it with "signalbox doctor"';

/** Texts of the store may name a host or a table, so the caller receives only the consequence. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.kind) {
    case 'unavailable':
      return new ApiError('unavailable', 'the store is unavailable; retry', {
        retryAfterSeconds: 1,
      });
    case 'unknown':
      return new ApiError(
        'unknown',
        'the outcome is unknown; retry with the same idempotency key, or read the current state',
      );
    case 'conflict':
      return new ApiError(
        'conflict',
        'another request changed the same resource at the same time; retry',
      );
    case 'invalid':
      return new ApiError('invalid', 'the store cannot save this value');
    case 'damaged':
      return new ApiError('damaged', DAMAGED_TEXT);
  }
}
