// npm run sim: many seeds in parallel, or one seed replayed.
import { CANARY_NAMES } from './canaries/all-canaries.ts';
import { type Arguments, parseArguments } from './runner/arguments.ts';
import type { Task } from './runner/messages.ts';
import { runTasks } from './runner/pool.ts';
import { Summary } from './runner/summary.ts';
import { simulate } from './simulate.ts';
import { drawOptions } from './world/options.ts';

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tasksOf(args: Arguments): Task[] {
  const tasks: Task[] = [];
  if (args.canaries !== 'none') {
    for (const name of CANARY_NAMES) tasks.push({ kind: 'canary', name });
  }
  if (args.canaries === 'only') return tasks;
  for (let i = 0; i < args.seeds; i++) {
    const twice = args.determinism === 'all' || (args.determinism === 'some' && i % 10 === 0);
    tasks.push({ kind: 'seed', seed: args.from + i, minutes: args.minutes, twice });
  }
  return tasks;
}

async function runMany(args: Arguments): Promise<boolean> {
  const startedAt = performance.now();
  const summary = new Summary(args.minutes);
  await runTasks(tasksOf(args), args.processes, (answer) => {
    const line = summary.add(answer);
    if (line !== null) print(line);
  });
  const wallSeconds = (performance.now() - startedAt) / 1_000;
  if (args.canaries !== 'only') {
    for (const [name, count] of Object.entries(summary.sometimes)) print(`${count}\t${name}`);
    for (const name of summary.never) print(`never in ${summary.seeds} seeds: ${name}`);
    print(
      `${summary.seeds} seeds, ${(summary.simulatedMs / 3_600_000).toFixed(1)} simulated hours, ${summary.tasks} tasks in ${wallSeconds.toFixed(1)} s, ${summary.timesRealTime} times real time per core: ${summary.violations} violations, ${summary.nondeterministic} nondeterministic`,
    );
  }
  if (args.canaries !== 'none') {
    print(`${summary.canariesCaught} of ${summary.canariesTotal} canaries caught`);
  }
  if (args.json) print(summary.toJson(wallSeconds));
  return summary.isGood;
}

async function replay(args: Arguments, seed: number): Promise<boolean> {
  const startedAt = performance.now();
  const options = drawOptions(seed, args.minutes);
  print(JSON.stringify(options));
  const { result, evidence } = await simulate(options);
  if (args.log) for (const event of evidence.events) print(JSON.stringify(event));
  for (const { checker, problems } of result.violations) {
    for (const problem of problems) print(`${checker}: ${problem}`);
  }
  for (const stack of result.stacks) print(stack);
  const wallMs = performance.now() - startedAt;
  print(
    `seed ${seed}: ${result.runs} runs, ${(result.simulatedMs / 60_000).toFixed(1)} simulated minutes in ${wallMs.toFixed(0)} ms, ${result.violations.length === 0 ? 'clean' : 'broken'}, log ${result.hash}`,
  );
  if (args.json) {
    const summary = new Summary(args.minutes);
    summary.add({ kind: 'seed', result, isSame: true });
    print(summary.toJson(wallMs / 1_000));
  }
  return result.violations.length === 0;
}

const args = parseArguments(process.argv.slice(2));
const isGood = args.seed === null ? await runMany(args) : await replay(args, args.seed);
process.exitCode = isGood ? 0 : 1;
