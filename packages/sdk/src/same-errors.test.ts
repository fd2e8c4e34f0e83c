import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { job, type RunHandle, type Signalbox } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';

const mail = job('mail', (input: { to: string }) => input.to);
const gone = job('gone', (input: { to: string }) => input.to);
const fails = job('fails', { retry: { maxAttempts: 1 } }, (): number => {
  throw new Error('no such luck');
});
const LATER = { delay: 3_600_000 };
const ada = { to: 'Ada' };
const NO_RUN = '00000000-0000-7000-8000-000000000000';

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

interface World {
  readonly box: Signalbox;
  readonly run: RunHandle<string>;
  readonly failed: RunHandle<unknown>;
}

/** As a program says it whose types nobody has checked. */
const unchecked = (value: unknown) => value as never;

const FAILING: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'submit a job that is not defined': ({ box }) => box.submit(gone, ada),
  'submit a name that is none': ({ box }) => box.submit('a b'),
  'submit an empty name': ({ box }) => box.submit(''),
  'submit a key that is too long': ({ box }) =>
    box.submit(mail, ada, { idempotencyKey: 'k'.repeat(257) }),
  'submit an empty key': ({ box }) => box.submit(mail, ada, { idempotencyKey: '' }),
  'submit a key that is no text': ({ box }) =>
    box.submit(mail, ada, { idempotencyKey: unchecked(7) }),
  'submit an empty unique value': ({ box }) => box.submit(mail, ada, { uniqueKey: '' }),
  'submit a priority that is none': ({ box }) =>
    box.submit(mail, ada, { priority: unchecked('P9') }),
  'submit a delay below 0': ({ box }) => box.submit(mail, ada, { delay: -1 }),
  'submit a delay of text': ({ box }) => box.submit(mail, ada, { delay: unchecked('soon') }),
  'submit a delay of NaN': ({ box }) => box.submit(mail, ada, { delay: Number.NaN }),
  'submit an instant that is none': ({ box }) => box.submit(mail, ada, { runAt: 'tomorrow' }),
  'submit a date that is none': ({ box }) => box.submit(mail, ada, { runAt: new Date(Number.NaN) }),
  'submit due and delayed': ({ box }) =>
    box.submit(mail, ada, { runAt: '2030-01-01T00:00:00Z', delay: 1 }),
  'submit what JSON has not': ({ box }) =>
    box.submit(
      mail,
      unchecked(() => 1),
    ),
  'submit a large whole number': ({ box }) => box.submit(mail, unchecked({ to: 1n })),
  'submit a key with another input': ({ box }) =>
    box.submit(mail, { to: 'Bob' }, { idempotencyKey: 'taken', ...LATER }),
  'submit a key of another job': ({ box }) =>
    box.submit(fails, undefined, { idempotencyKey: 'taken' }),
  'submitMany with a bad item': ({ box }) =>
    box.submitMany(mail, [{ input: ada }, { input: ada, delay: -1 }]),
  'submitMany of a job that is not defined': ({ box }) => box.submitMany(gone, [{ input: ada }]),
  'submitMany with a key of another input': ({ box }) =>
    box.submitMany(mail, [{ input: { to: 'Bob' }, idempotencyKey: 'taken' }]),
  'define a name that is none': ({ box }) => box.apply([job('a b', () => 1)]),
  'define a retry that is wrong': ({ box }) =>
    box.apply([job('wrong', { retry: { maxAttempts: 0 } }, () => 1)]),
  'define a priority that is none': ({ box }) =>
    box.apply([job('wrong', { priority: unchecked('P9') }, () => 1)]),
  'get a run that is not there': ({ box }) => box.runs.get(NO_RUN),
  'get a run by a long text': ({ box }) => box.runs.get('x'.repeat(65)),
  'get a run by text': ({ box }) => box.runs.get('nonsense'),
  'handle of a run that is not there': ({ box }) => box.runs.handle(NO_RUN),
  'list with a state that is none': ({ box }) => box.runs.list({ state: unchecked('ODD') }),
  'list with a priority that is none': ({ box }) => box.runs.list({ priority: unchecked('P9') }),
  'list with a limit of 0': ({ box }) => box.runs.list({ limit: 0 }),
  'list with a limit of text': ({ box }) => box.runs.list({ limit: unchecked('ten') }),
  'list with a cursor that is none': ({ box }) => box.runs.list({ cursor: 'nonsense' }),
  'cancel a run that is not there': ({ box }) => box.cancel(NO_RUN),
  'cancel with a reason that is no text': ({ box, run }) => box.cancel(run.id, unchecked(7)),
  'retry a run that is not there': ({ box }) => box.retry(NO_RUN),
  'retry a run that has not ended': ({ box, run }) => box.retry(run.id),
  'approve a task that waits for nobody': ({ box, run }) => box.approve(`${run.id}:main`),
  'approve a task that is not there': ({ box, run }) => box.approve(`${run.id}:nothing`),
  'approve what is no id of a task': ({ box }) => box.approve('nonsense'),
  'reject with a comment that is no text': ({ box, run }) =>
    box.reject(`${run.id}:main`, unchecked(7)),
  'signal a task that waits for nothing': ({ box, run }) => box.signal(`${run.id}:main`, {}),
  'why of a task that is not there': ({ box, run }) => box.why(`${run.id}:nothing`),
  'why of what is no id': ({ box }) => box.why('nonsense'),
  'logs of a run that is not there': ({ box }) => drain(box.logs(NO_RUN)),
  'logs of a task that is not there': ({ run }) => drain(run.logs({ task: 'nothing' })),
  'followed logs of a run that is not there': ({ box }) =>
    drain(box.logs(NO_RUN, { follow: true })),
  'wait with a time that is none': ({ run }) => run.wait({ timeout: unchecked('soon') }),
  'wait with a time of NaN': ({ run }) => run.result({ timeout: Number.NaN }),
  'wait with a time of digits': ({ run }) => run.wait({ timeout: unchecked('10') }),
  'wait with a time of null': ({ run }) => run.wait({ timeout: unchecked(null) }),
  'wait in vain': ({ run }) => run.wait({ timeout: 10 }),
  'the result of a run that failed': ({ failed }) => failed.result(),
  'work with a name that is none': ({ box }) => box.work([], { name: 'my worker' }),
  'work with labels that are none': ({ box }) => box.work([], { labels: unchecked({ a: 7 }) }),
  'work with a zone that is none': ({ box }) => box.work([], { zone: unchecked(7) }),
  'events of a job that is no name': ({ box }) => box.events({ job: 'a b' }).next(),
};

/** What a caller can tell apart; ids of runs are made up anew in each place. */
async function failureOf(world: World, fail: (world: World) => Promise<unknown>): Promise<object> {
  const error = await fail(world).then(
    () => null,
    (thrown: unknown) => thrown as Record<string, unknown> & Error,
  );
  if (error === null) return { resolved: true };
  const { name, code, status, field, mayBeDone } = error;
  const message = error.message.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');
  return { name, class: error.constructor.name, code, status, field, mayBeDone, message };
}

const both = new BothPlaces();
const worlds: World[] = [];
beforeAll(async () => {
  await both.start();
  for (const { open } of both.places) {
    const box = await open();
    await box.work([mail, fails]);
    const run = await box.submit(mail, ada, { idempotencyKey: 'taken', ...LATER });
    const failed = await box.submit(fails);
    await failed.wait();
    worlds.push({ box, run, failed });
  }
});
afterAll(async () => {
  for (const { box } of worlds) await box.close();
  await both.stop();
});

describe('the same error in both modes', () => {
  it.each(Object.entries(FAILING))('%s', async (_, fail) => {
    const [embedded, remote] = [
      await failureOf(worlds[0] as World, fail),
      await failureOf(worlds[1] as World, fail),
    ];
    expect(remote).toEqual(embedded);
    expect(embedded).not.toEqual({ resolved: true });
  });
});
