import { requirePeer } from '../../peers/peer-modules.ts';
import { pass } from '../clock.ts';
import type { Payload } from '../part/payload.ts';
import { type Part, runPart } from '../part/run-part.ts';
import { runsOfTwenty, TWENTY_TASKS, taskOfTwenty } from '../part/twenty-tasks.ts';

export interface PgBossConfig {
  readonly url: string;
  readonly useListenNotify?: boolean;
  /** Submits flows of twenty tasks. */
  readonly isFlow?: boolean;
  /** Each task is of the group of its customer. */
  readonly hasGroups?: boolean;
  /** What its clock is set to, where schedules are measured. */
  readonly clock?: {
    readonly cronMonitorIntervalSeconds: number;
    readonly cronWorkerIntervalSeconds: number;
  };
  readonly work: {
    readonly batchSize: number;
    readonly localConcurrency: number;
    readonly pollingIntervalSeconds: number;
    readonly burstWhenBatchFull?: boolean;
    readonly localGroupConcurrency?: number;
    readonly groupConcurrency?: number;
  };
}

interface PgBoss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  send(queue: string, data: object): Promise<unknown>;
  insert(
    queue: string,
    jobs: readonly { data: object; group?: { id: string } }[],
  ): Promise<unknown>;
  flow(jobs: readonly FlowJob[]): Promise<unknown>;
  resolveFlow(): Promise<void>;
  schedule(queue: string, cron: string, data: object, options: object): Promise<void>;
  work(
    queue: string,
    options: object,
    handler: (jobs: readonly { data: Payload }[]) => Promise<void>,
  ): Promise<unknown>;
  stop(options: { graceful: boolean; close?: boolean }): Promise<void>;
}

interface FlowJob {
  readonly ref: string;
  readonly name: string;
  readonly data: object;
  readonly dependsOn: readonly string[];
}

const QUEUE = 'measured';
const PRODUCER_CONNECTIONS = 16;
const WORKER_CONNECTIONS = 10;
const RESOLVE_EVERY_MS = 10;

async function open(options: object): Promise<PgBoss> {
  const { PgBoss } = requirePeer<{ PgBoss: new (options: object) => PgBoss }>('pg-boss');
  const boss = new PgBoss(options);
  boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
  await boss.start();
  return boss;
}

/** A client that only submits leaves maintenance to the worker. */
function openToSubmit(url: string): Promise<PgBoss> {
  return open({
    connectionString: url,
    max: PRODUCER_CONNECTIONS,
    supervise: false,
    schedule: false,
    registerInstance: false,
    migrate: false,
  });
}

/** Several runs in one call: graphs that do not touch each other. */
function flowJobs(inputs: readonly Payload[]): FlowJob[] {
  return inputs.flatMap((input) =>
    TWENTY_TASKS.map(({ name, after }, place) => ({
      ref: `${input.id} ${name}`,
      name: QUEUE,
      data: taskOfTwenty(input, place),
      dependsOn: after.map((parent) => `${input.id} ${parent}`),
    })),
  );
}

/** It looks for what a completion sets free once a second or less often, unless it is asked to look. */
function keepResolving(boss: PgBoss): () => Promise<void> {
  let isGoing = true;
  const looking = (async () => {
    while (isGoing) {
      await boss.resolveFlow();
      await pass(RESOLVE_EVERY_MS);
    }
  })();
  return async () => {
    isGoing = false;
    await looking;
  };
}

const part: Part<PgBossConfig> = {
  produce: async ({ url, isFlow = false, hasGroups = false }) => {
    const boss = await openToSubmit(url);
    return {
      submit: (data) => boss.send(QUEUE, data),
      submitBatch: (batch) =>
        isFlow
          ? boss.flow(flowJobs(runsOfTwenty(batch)))
          : boss.insert(
              QUEUE,
              batch.map((data) => ({ data, ...(hasGroups && { group: { id: data.customer } }) })),
            ),
      close: () => boss.stop({ graceful: false }),
    };
  },
  schedule: async ({ url }, { cron, payloads }) => {
    const boss = await openToSubmit(url);
    const schedules = payloads.map((data) =>
      boss.schedule(QUEUE, cron, data, { tz: 'UTC', key: `s${data.id}` }),
    );
    await Promise.all(schedules);
    await boss.stop({ graceful: false });
  },
  work: async ({ url, useListenNotify = false, isFlow = false, clock = {}, work }, onTask) => {
    const boss = await open({
      connectionString: url,
      max: WORKER_CONNECTIONS,
      useListenNotify,
      ...clock,
    });
    await boss.work(QUEUE, work, async (jobs) => {
      for (const { data } of jobs) onTask(data);
    });
    const stopResolving = isFlow ? keepResolving(boss) : async () => {};
    return {
      close: async () => {
        await stopResolving();
        await boss.stop({ graceful: true });
      },
    };
  },
};

await runPart(part);
