import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { noRun } from '../../errors/refusals.ts';
import { loadPayload } from '../blobs/payloads.ts';
import { operation } from '../common/operation.ts';
import { findRun } from './find-run.ts';
import { readView } from './read-run.ts';

/** The bytes that a run was submitted with; empty where there were none. */
export const runInput = operation(
  async (context, caller, params: { id: string }): Promise<Uint8Array> => {
    const kept = await inputOf(context, caller, params.id);
    return kept === null ? new Uint8Array() : loadPayload(context, caller.tenant, kept);
  },
);

async function inputOf(
  context: NodeContext,
  { tenant }: Caller,
  text: string,
): Promise<Uint8Array | null> {
  const found = await findRun(context, tenant, text);
  if (found.kind === 'inbox') return found.entry.input;
  const [row] = await context.store.readRuns({ ids: [{ tenant, id: found.id }], withInput: true });
  // A damaged row is left out of what was read: this read refuses it.
  const run = row ?? (await context.store.getRun({ tenant, id: found.id }))?.run;
  if (run === undefined) throw noRun(text);
  return run.input;
}

/** The bytes that a run ended with. Before its end there are none, which is not the same as empty. */
export const runOutput = operation(
  async (context, caller, params: { id: string }): Promise<Uint8Array> => {
    const { tenant } = caller;
    const found = await findRun(context, tenant, params.id);
    if (found.kind === 'inbox') throw new ApiError('conflict', 'the run has not ended');
    const view = await readView(context, tenant, found.id);
    if (view.endedAtMs === null) {
      throw new ApiError('conflict', `the run has not ended; it is ${view.state}`);
    }
    return view.output === null ? new Uint8Array() : loadPayload(context, tenant, view.output);
  },
);
