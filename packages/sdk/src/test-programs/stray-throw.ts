// Throws where no promise of a handler sees it; says what becomes of the runs, or dies of an error of nobody's.
import { job, Signalbox } from '../index.ts';

const stray = job('stray', { retry: { maxAttempts: 1 } }, async (how: string) => {
  const boom = () => {
    throw new Error(`thrown by ${how}`);
  };
  if (how === 'timer') setTimeout(boom, 1);
  if (how === 'tick') process.nextTick(boom);
  if (how === 'rejection') void Promise.resolve().then(boom);
  await new Promise(() => {});
});
const late = job('late', () => {
  setTimeout(() => {
    throw new Error('thrown too late');
  }, 1);
  return 'done';
});
const fine = job('fine', () => 'fine');

const print = (...words: unknown[]) => process.stdout.write(`${words.join(' ')}\n`);
const box = await Signalbox.open('memory:');
await box.work([stray, late, fine], { gracePeriod: 0 });
for (const how of ['timer', 'tick', 'rejection']) {
  const view = await (await box.submit(stray, how)).wait();
  print(view.state, view.tasks[0]?.error);
}
print(await (await box.submit(late)).result());
// Until it has been thrown: a timer of the same length that was set later fires later.
await new Promise((resolve) => setTimeout(resolve, 5));
print(await (await box.submit(fine)).result());
if (process.argv[2] === 'of-nobody') {
  setTimeout(() => {
    throw new Error('thrown by nobody');
  }, 1);
  await new Promise(() => setInterval(() => {}, 1_000));
}
await box.close();
