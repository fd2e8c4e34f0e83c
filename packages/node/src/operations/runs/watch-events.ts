import { taskName } from '@signalbox/engine';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { streamReplicaRun } from '../../feed/replica-stream.ts';
import { RunFeed } from '../../feed/run-feed.ts';
import { type RunStreamParams, streamRun } from '../../feed/run-stream.ts';
import type { Sink } from '../../feed/sink.ts';
import { streamTenant } from '../../feed/tenant-stream.ts';
import { NO_TASKS, type TaskSelection } from '../../loop/index.ts';
import { operation } from '../common/operation.ts';
import { findTakenRun } from './find-run.ts';
import { readAnywhere } from './read-run.ts';
import { showLine, taskNames } from './run-logs.ts';
import { FIRST_TASKS, showRun } from './run-view.ts';

interface Stream {
  /** To be called when the client has gone. */
  close(): void;
}

/** Everything that happens to the tenant's runs, or to those of one job, as server-sent events. */
export const watchTenant = operation(
  async (
    context,
    caller,
    params: { job?: string; lastEventId?: string; sink: Sink },
  ): Promise<Stream> => {
    const { tenant } = caller;
    return streamTenant({ context, feed: feedOf(context), tenant, ...params });
  },
);

/** The facts and log lines of one run; the sink is asked for once it is sure that there is one. */
export const watchRun = operation(
  async (
    context,
    caller,
    params: { id: string; lastEventId?: string; sink: () => Sink },
  ): Promise<Stream> => {
    const { tenant } = caller;
    const { id: run } = await findTakenRun(context, tenant, params.id);
    const read = (select: TaskSelection) => readAnywhere(context, { tenant, id: run, select });
    const { job, jobVersion: version } = await read(NO_TASKS);
    const spec = await context.loop.specs.load({ tenant, job, version });
    let names = await taskNames(context, tenant, { run, spec });
    const live = () => context.loop.engine.core.books.get(run.partition)?.runs.get(run.seq);
    // A run that grows while it is watched has tasks that had no name at the beginning.
    const nameAt = (index: number): void => {
      const task = index < names.length ? undefined : live()?.tasks[index];
      if (task !== undefined) names[index] = taskName(task);
    };
    const stream: RunStreamParams = {
      context,
      tenant,
      run,
      view: async () => showRun(context, await read(FIRST_TASKS)),
      showLine: (line) => {
        nameAt(line.task);
        return showLine(line, names);
      },
      learnNames: async (count) => {
        if (count > names.length) names = await taskNames(context, tenant, { run, spec });
      },
      ...(params.lastEventId === undefined ? {} : { lastEventId: params.lastEventId }),
      sink: params.sink(),
    };
    if (!context.loop.owns(run.partition)) return streamReplicaRun(stream);
    return streamRun({ ...stream, feed: feedOf(context) });
  },
);

function feedOf({ feed }: NodeContext): RunFeed {
  if (feed instanceof RunFeed) return feed;
  throw new ApiError('unavailable', 'this node has no event feed');
}
