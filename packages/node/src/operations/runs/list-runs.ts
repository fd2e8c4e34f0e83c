import type { Page, RunFilter, RunView } from '@signalbox/protocol';
import type { Caller, NodeContext } from '../../context/index.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { pageOfRuns } from './page-of-runs.ts';
import { showHead } from './run-view.ts';

export type RunsQuery = RunFilter & { readonly cursor?: string; readonly limit?: number };

/** Runs of the tenant that match, newest first, without their tasks; see `pageOfRuns`. */
export const listRuns = operation(paged('runs', readRuns));

/** The same with plain positions, for a list that signs them itself. */
export async function readRuns(
  context: NodeContext,
  caller: Caller,
  query: RunsQuery,
): Promise<Page<RunView>> {
  const { cursor, limit = 50, ...filter } = query;
  const page = { filter, states: null, cursor, limit: Math.min(limit, 1_000) };
  const { views, next } = await pageOfRuns(context, caller.tenant, page);
  return { items: views.map(showHead), ...(next === undefined ? {} : { next }) };
}
