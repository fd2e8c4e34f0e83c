interface Handling {
  readonly ended: Promise<void>;
  isIdle: boolean;
}

/** Turns of the event loop before a handler that is still busy is waited for with a clock. */
const TURNS_MAX = 50;

/**
 * Waits until handlers have come to an end or to rest. One that is still busy after the patience
 * waits for something else than the machine, such as its abort signal: time goes on without it.
 */
export async function settleHandlers(
  active: () => readonly Handling[],
  patienceMs: number,
): Promise<void> {
  // Chains of promises of any length come to their end in one turn.
  await nextTurn();
  for (let turn = 0; active().length > 0 && turn < TURNS_MAX; turn++) await nextTurn();
  while (active().length > 0) {
    const waitedFor = active();
    const isDone = await within(patienceMs, Promise.all(waitedFor.map(({ ended }) => ended)));
    if (!isDone) for (const handling of waitedFor) handling.isIdle = true;
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
