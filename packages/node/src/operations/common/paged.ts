import { type ListScope, openCursor, sealCursor } from './cursors.ts';
import type { Operation } from './operation.ts';

interface PageParams {
  readonly cursor?: string;
  readonly after?: string;
  readonly limit?: number;
}

/**
 * Signs the `next` of a list and checks the cursor that comes back, so that the list itself handles plain
 * positions. `filterOf` returns what a cursor is bound to; by default all parameters but cursor and limit.
 */
export function paged<P extends PageParams, R extends { readonly next?: string }>(
  list: string,
  run: Operation<P, R>,
  filterOf: (params: P) => ListScope['filter'] = selection,
): Operation<P, R> {
  return async (context, caller, params) => {
    const { store } = context;
    const scope = { list, tenant: caller.tenant, filter: filterOf(params) };
    const field = params.cursor === undefined ? 'after' : 'cursor';
    const text = params[field];
    const opened =
      text === undefined
        ? params
        : { ...params, [field]: await openCursor(store, scope, { field, text }) };
    const page = await run(context, caller, opened);
    if (page.next === undefined) return page;
    return { ...page, next: await sealCursor(store, scope, page.next) };
  };
}

function selection({ cursor: _, after: _after, limit: _limit, ...filter }: PageParams) {
  return filter;
}
