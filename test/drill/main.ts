// npm run drill: promises that need a million tasks. Exits with 1 if one does not hold.
import { parseArgs } from 'node:util';
import { drillLostTasks } from './lost-tasks.ts';
import { type Figure, isReached, writeReport } from './report.ts';
import { drillTracking } from './tracking.ts';

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
});
const tasks = Number(values.tasks);
const figures: Figure[] = [];
const report = (what: string, measured: number, target: { most: number; least?: number }): void => {
  const figure = { what, measured, ...target };
  figures.push(figure);
  process.stdout.write(`${isReached(figure) ? 'ok  ' : 'FAIL'} ${what}: ${measured}\n`);
};

const tracking = await drillTracking({ tasks });
report('Tasks run by one worker', tracking.tasks, { most: Number.POSITIVE_INFINITY, least: tasks });
report('What the worker tracks afterwards', tracking.tracked, { most: 0 });
report('Growth of its memory over the last four fifths, MB', tracking.rssGrowthMb, { most: 20 });

const lifeMs = (): number => 5_000 + Math.random() * 20_000;
const chaos = await drillLostTasks({ tasks, lifeMs });
const anything = Number.POSITIVE_INFINITY;
report('Tasks submitted to a process that is killed again and again', chaos.tasks, {
  most: anything,
  least: tasks,
});
report('How often it was killed', chaos.kills, { most: anything, least: 1 });
report('Acknowledged tasks that are lost', chaos.lost, { most: 0 });
report('Runs that have not ended', chaos.open, { most: 0 });
report('Runs beyond one for each task', chaos.doubled, { most: 0 });
report('Tasks whose handler never ran', chaos.unhandled, { most: 0 });

if (values.write) writeReport(figures);
process.exit(figures.every(isReached) ? 0 : 1);
