// What only an installed package can get wrong: modules that threads, processes and `require` load by path.
import { cel, isolated, job, type Pipeline, pipeline, Signalbox } from 'signalbox';
import type { double } from './double.ts';

const handlerModule = new URL('./double.ts', import.meta.url);
const inThread = job(
  'in-thread',
  isolated<typeof double>(handlerModule, { export: 'double', isolation: 'thread' }),
);
const inProcess = job(
  'in-process',
  isolated<typeof double>(handlerModule, { export: 'double', isolation: 'process' }),
);
const conditional = pipeline('conditional', (p: Pipeline<{ isWanted: boolean }>) => {
  const skipped = p.task('skipped', { when: cel`!${p.input.isWanted}` }, () => 'ran');
  return p.task('last', { after: [skipped], ifParentSkipped: 'run' }, () => 'skipped');
});

const box = await Signalbox.open('memory:');
await box.work([inThread, inProcess, conditional]);
const runs = await Promise.all([
  box.submit(inThread, 1),
  box.submit(inProcess, 2),
  box.submit(conditional, { isWanted: true }),
]);
const results = await Promise.all(runs.map((run) => run.result()));
process.stdout.write(`${JSON.stringify(results)}\n`);
await box.close();
