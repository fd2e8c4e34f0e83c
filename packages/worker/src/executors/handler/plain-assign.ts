import type { Assign } from '../../executor.ts';

/** The assignment as plain data for another thread or process, which gets the payloads separately. */
export function assignWithoutPayloads(assign: Assign): Assign {
  const { trace, window } = assign;
  return {
    ref: assign.ref,
    tenant: assign.tenant,
    job: assign.job,
    jobVersion: assign.jobVersion,
    run: assign.run,
    task: assign.task,
    id: assign.id,
    executor: assign.executor,
    work: assign.work,
    request: assign.request,
    class: assign.class,
    idempotencyKey: assign.idempotencyKey,
    inputHash: assign.inputHash,
    timeoutMs: assign.timeoutMs,
    graceMs: assign.graceMs,
    ...(trace === undefined ? {} : { trace }),
    input: null,
    checkpoint: null,
    ...(window === undefined ? {} : { window }),
  };
}
