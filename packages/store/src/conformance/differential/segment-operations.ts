import { type Operation, step } from './step.ts';

export const ensureSegments: Operation = (model) => {
  const untilMs = model.nowMs + model.segmentMs;
  return step({ call: (store) => store.ensureSegments({ untilMs }), succeeded: () => true });
};

export const listSegments: Operation = () =>
  step({
    call: (store) => store.listSegments(),
    succeeded: (answer) => answer.some(({ sealed }) => sealed),
    isLoose: true,
  });

export const sealSegment: Operation = (model, random) => {
  const [oldest] = [...model.usedSegments].filter((fromMs) => !model.sealedSegments.has(fromMs));
  if (oldest === undefined || !random.chance(30)) return null;
  const fromMs = oldest;
  return step({
    call: (store) => store.sealSegment(fromMs),
    succeeded: ({ sealed }) => sealed,
    learn: ({ sealed }) => {
      if (sealed) model.sealedSegments.add(fromMs);
    },
    notBeforeMs: fromMs + model.segmentMs,
  });
};

export const dropSegment: Operation = (model, random) => {
  const [oldest] = model.usedSegments;
  if (oldest === undefined || !random.chance(30)) return null;
  const fromMs = oldest;
  const isSealed = model.sealedSegments.has(fromMs);
  return step({
    call: (store) => store.dropSegment(fromMs),
    succeeded: () => isSealed,
    learn: () => {
      model.usedSegments.delete(fromMs);
      const kept = model.endedRuns.filter(({ id }) => model.segmentOf(id) !== fromMs);
      model.endedRuns.splice(0, model.endedRuns.length, ...kept);
    },
  });
};

export const dropGroupsBefore: Operation = (model, random) => {
  if (!random.chance(30)) return null;
  const beforeMs = model.nowMs - random.below(2 * model.segmentMs);
  return step({
    call: (store) => store.dropGroupsBefore({ beforeMs }),
    succeeded: (answer) => answer > 0,
    isLoose: true,
  });
};

export const now: Operation = () =>
  step({ call: (store) => store.now(), succeeded: (answer) => answer > 0, isLoose: true });

export const migrate: Operation = (_model, random) =>
  random.chance(10) ? step({ call: (store) => store.migrate(), succeeded: () => true }) : null;
