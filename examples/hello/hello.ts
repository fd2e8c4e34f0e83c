import { job, Signalbox } from 'signalbox';

const greet = job('greet', { retry: { maxAttempts: 3 } }, async (input: { name: string }) => {
  return `hello, ${input.name}`;
});

const box = await Signalbox.open('file:./signalbox.db');
await box.work([greet]);
const run = await box.submit(greet, { name: 'world' });
console.log(await run.result());
await box.close();
