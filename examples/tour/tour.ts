// Everything that can be asked of a box.
import { RunFailedError, type Signalbox, SignalboxError } from 'signalbox';
import { report, resize, thumbnail, tick } from './jobs.ts';

const image = { url: 'https://example.com/cat.jpg', width: 640 };

export async function submitting(box: Signalbox): Promise<string> {
  const run = await box.submit(resize, image, {
    idempotencyKey: 'upload-17',
    priority: 'P0',
  });

  const tomorrow = await box.submit(tick, undefined, { delay: '1d' });
  const once = await box.submit(tick, undefined, { uniqueKey: 'front-page', delay: '1m' });
  const same = await box.submit(tick, undefined, { uniqueKey: 'front-page' });
  console.log(once.id === same.id, once.created, same.created); // true true false

  const runs = await box.submitMany(resize, [
    { input: { ...image, width: 320 } },
    { input: { ...image, width: 160 }, idempotencyKey: 'upload-17-small' },
  ]);

  await box.cancel(tomorrow.id, 'not needed any more');
  await once.cancel();
  return [run, ...runs].map(({ job }) => job).join();
}

export async function waiting(box: Signalbox): Promise<string> {
  const run = await box.submit(resize, image);
  const { url } = await run.result({ timeout: '1m' });
  const view = await run.wait();
  console.log(view.state, view.tasks[0]?.attempts.length); // SUCCEEDED 1

  const small = await box.submit(thumbnail, { url });
  return small.result();
}

export async function failing(box: Signalbox): Promise<string> {
  try {
    const run = await box.submit(resize, { ...image, width: 0 });
    await run.result();
  } catch (error) {
    if (error instanceof RunFailedError) {
      console.log(error.task, error.errorClass, error.attempts, error.error);
      const again = await box.retry(error.run.id, 'a new version is out');
      return (await again.wait()).state;
    }
    if (error instanceof SignalboxError) console.log(error.code, error.status, error.requestId);
    throw error;
  }
  return 'nothing failed';
}

export async function stopping(box: Signalbox): Promise<string> {
  const stop = AbortSignal.timeout(10);
  const run = await box.submit(tick, undefined, { delay: '1m' });
  try {
    await run.result({ signal: stop });
  } catch {
    await run.cancel('nobody waits for it');
  }
  return (await run.wait()).state;
}

export async function watching(box: Signalbox): Promise<string[]> {
  const run = await box.submit(report, { day: '2026-01-01', to: 'team@example.org' });
  const seen: string[] = [];
  for await (const line of run.logs({ follow: true })) seen.push(line.text);

  const late = await box.submit(tick, undefined, { delay: '1m' });
  const why = await box.why(`${late.id}:main`);
  seen.push(why.reason);
  await late.cancel();

  for await (const { job, state } of box.runs.all({ job: 'report', state: 'SUCCEEDED' })) {
    seen.push(`${job} ${state}`);
  }
  return seen;
}

export async function listening(box: Signalbox, signal: AbortSignal): Promise<string | undefined> {
  for await (const event of box.events({ job: 'tick', signal })) {
    if (event.kind === 'runEnded') return event.state;
  }
  return undefined;
}
