// Lists all runs of a box page by page, and prints how many pages there were and how many turns the event
// loop made meanwhile. A process of its own: the imports of a test runner make turns as well.
import { job, Signalbox } from '../index.ts';

const hello = job('hello', async () => 'hello');
await using box = await Signalbox.open(process.argv[2] as string);
await box.apply([hello]);
await box.submitMany(
  hello,
  Array.from({ length: 20 }, () => ({})),
);
let turns = 0;
let isListing = true;
const count = (): void => {
  turns++;
  if (isListing) setImmediate(count);
};
setImmediate(count);
let pages = 0;
for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
  const { next } = await box.runs.list({ limit: 1, ...(cursor !== undefined && { cursor }) });
  cursor = next;
}
isListing = false;
process.stdout.write(JSON.stringify({ pages, turns }));
