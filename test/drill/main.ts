// npm run drill: promises that need a million tasks. Exits with 1 if one does not hold.
import { parseArgs } from 'node:util';
import { drillLostTasks } from './lost-tasks.ts';
import { type Figure, isReached, writeReport } from './report.ts';
import { drillTracking } from './tracking.ts';

const ANY = Number.POSITIVE_INFINITY;

const DRILLS: Readonly<Record<string, (tasks: number) => Promise<Figure[]>>> = {
  tracking: async (tasks) => {
    const { tasks: run, tracked, rssGrowthMb } = await drillTracking({ tasks });
    return [
      { what: 'Tasks run by one worker', measured: run, most: ANY, least: tasks },
      { what: 'What the worker tracks afterwards', measured: tracked, most: 0 },
      {
        what: 'Growth of its memory over the last four fifths, MB',
        measured: rssGrowthMb,
        most: 20,
      },
    ];
  },
  lost: async (tasks) => {
    const lifeMs = (): number => 5_000 + Math.random() * 20_000;
    const chaos = await drillLostTasks({ tasks, lifeMs });
    return [
      {
        what: 'Tasks submitted to a process that is killed again and again',
        measured: chaos.tasks,
        most: ANY,
        least: tasks,
      },
      { what: 'How often it was killed', measured: chaos.kills, most: ANY, least: 1 },
      { what: 'Acknowledged tasks that are lost', measured: chaos.lost, most: 0 },
      { what: 'Runs that have not ended', measured: chaos.open, most: 0 },
      { what: 'Runs beyond one for each task', measured: chaos.doubled, most: 0 },
      { what: 'Tasks whose handler never ran', measured: chaos.unhandled, most: 0 },
    ];
  },
};

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(DRILLS).join() },
    tasks: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
});
if (values.list) {
  process.stdout.write(`${Object.keys(DRILLS).join('\n')}\n`);
  process.exit(0);
}
const figures: Figure[] = [];
for (const name of values.only.split(',')) {
  const drill = DRILLS[name];
  if (drill === undefined) {
    process.stderr.write(`no drill ${name}; there are ${Object.keys(DRILLS)}\n`);
    process.exit(2);
  }
  for (const figure of await drill(Number(values.tasks))) {
    figures.push(figure);
    process.stdout.write(
      `${isReached(figure) ? 'ok  ' : 'FAIL'} ${figure.what}: ${figure.measured}\n`,
    );
  }
}
if (values.write) writeReport(figures);
process.exit(figures.every(isReached) ? 0 : 1);
