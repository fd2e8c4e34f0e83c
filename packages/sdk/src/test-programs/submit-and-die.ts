// For a test of durability: submits to the file it is given, says the run's id, and is killed.
import { job, Signalbox } from '../index.ts';

const hello = job('hello', { retry: { maxAttempts: 3 } }, (input: { name: string }) => input.name);

const box = await Signalbox.open(process.argv[2] as string);
await box.apply([hello]);
const { id } = await box.submit(hello, { name: 'survivor' });
process.stdout.write(`${id}\n`, () => process.kill(process.pid, 'SIGKILL'));
