// For a test of closing: waits for a run that nobody works on, closes the box, and says how the wait ended.
import { job, Signalbox, type SignalboxError } from '../index.ts';

const later = job('later', () => 1);
const [address = '', key] = process.argv.slice(2);
const box =
  key === undefined ? await Signalbox.open(address) : await Signalbox.connect(address, { key });
await box.apply([later]);
const run = await box.submit(later);
const waits = Array.from({ length: 40 }, () => run.result());
const ended = Promise.allSettled(waits);
await run.view();
await box.close();
const codes = (await ended).map((end) => {
  return end.status === 'rejected' ? (end.reason as SignalboxError).code : 'resolved';
});
process.stdout.write([...new Set(codes)].join());
