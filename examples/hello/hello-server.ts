import { job, Signalbox } from 'signalbox';

const hello = job('hello', { retry: { attemptsMax: 3 } }, async (input: { name: string }) => {
  return `hello, ${input.name}`;
});

const box = await Signalbox.connect(process.env.SIGNALBOX_URL, { key: process.env.SIGNALBOX_KEY });
await box.work([hello]);
const run = await box.submit(hello, { name: 'world' });
console.log(await run.result());
await box.close();
