import { auditEntry, logLine } from '../builders.ts';
import { TENANTS } from './model.ts';
import { type Operation, step } from './step.ts';

const STREAMS: readonly string[] = ['stdout', 'stderr'];

/** Few places per run, so that many lines repeat one that is there; late lines of sealed segments too. */
export const appendLogs: Operation = (model, random) => {
  const lines = random.some(model.runs().slice(-20), 50).flatMap(({ tenant, id }) =>
    Array.from({ length: random.below(6) }, () =>
      logLine(id, {
        tenant,
        task: random.below(3),
        attempt: 1 + random.below(2),
        number: random.below(5),
        atMs: random.below(4),
        stream: random.pick(STREAMS),
        text: `line ${model.nextNumber()}`,
      }),
    ),
  );
  return step({ call: (store) => store.appendLogs(lines), succeeded: () => lines.length > 0 });
};

export const readLogs: Operation = (model, random) => {
  const runs = model.runs();
  if (runs.length === 0) return null;
  const { tenant, id } = random.pick(runs);
  const place = () => ({
    task: random.below(3),
    attempt: 1 + random.below(2),
    number: random.below(5),
  });
  const { task, attempt } = place();
  const query = {
    tenant: random.chance(90) ? tenant : random.pick(TENANTS),
    run: id,
    ...(random.chance(40) ? { task } : {}),
    ...(random.chance(30) ? { attempt } : {}),
    ...(random.chance(30) ? { sinceMs: random.below(4) } : {}),
    after: random.chance(50) ? place() : null,
    limit: 1 + random.below(10),
    ...(random.chance(50) ? { bytes: random.below(50) } : {}),
  };
  return step({
    call: (store) => store.readLogs(query),
    succeeded: (answer) => answer.length > 0,
  });
};

export const appendAudit: Operation = (model, random) => {
  const entry = auditEntry({
    tenant: random.pick(TENANTS),
    target: `job:${model.nextNumber()}`,
    ...(random.chance(50) ? { before: null, after: '{"ä":"\\" % \\u0001"}' } : {}),
  });
  return step({ call: (store) => store.appendAudit(entry), succeeded: ({ number }) => number > 1 });
};

export const readAudit: Operation = (_model, random) => {
  const tenant = random.pick(TENANTS);
  const bytes = random.chance(50) ? { bytes: random.below(200) } : {};
  const query = { tenant, after: random.below(5), limit: 1 + random.below(9), ...bytes };
  return step({
    call: (store) => store.readAudit(query),
    succeeded: (answer) => answer.length > 1,
  });
};
