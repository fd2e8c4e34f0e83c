import type { Command } from 'commander';
import type { Step } from '../definitions/plan.ts';
import { printJson } from '../print/json.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';

const FILE = [
  '-f, --file <path...>',
  'file or folder with definitions; may be given again',
] as const;
const PRUNE = ['--prune', 'also delete jobs, schedules and triggers that no file names'] as const;

export function addApply(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'apply',
    summary: 'create and update jobs, schedules and triggers from files, after showing the changes',
    examples: [
      ['signalbox apply -f jobs/', 'every definition in the folder'],
      ['signalbox apply -f report.yaml --yes', 'without asking'],
      ['signalbox apply -f jobs/ --dry-run', 'only show it'],
    ],
    configure: (command) => {
      command
        .requiredOption(...FILE)
        .option('-y, --yes', 'do not ask for confirmation')
        .option('--dry-run', 'show what would change, and change nothing')
        .option(...PRUNE);
    },
    async run(call) {
      const { api, terminal, json } = call;
      const steps = await plan(call);
      const changes = steps.filter((step) => step.outcome !== 'unchanged');
      if (!json) await show(call, steps);
      const isDry = call.options['dryRun'] === true;
      if (isDry && json) printSteps(call, steps);
      if (isDry) return undefined;
      if (!(await isAgreed(call, changes.length))) {
        terminal.note('nothing was changed');
        return 'no';
      }
      const { carryOut } = await import('../definitions/plan.ts');
      let done = 0;
      for (const step of steps) {
        const { kind, name, outcome } = step;
        const version = await carryOut(api, step).catch((error: unknown) => {
          throw done === 0 ? error : inTheMiddle(error, `${done} of ${changes.length}`);
        });
        if (outcome !== 'unchanged') done++;
        if (json) printJson(terminal, { kind, name, outcome, version });
        else if (outcome !== 'unchanged') terminal.line(`${name} has version ${version}`);
      }
      if (!json && changes.length === 0) terminal.line('nothing to change');
      return undefined;
    },
  });
}

export function addDiff(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'diff',
    summary: 'show what apply would change; exit code 1 if anything would',
    examples: [['signalbox diff -f jobs/', 'every definition in the folder']],
    configure: (command) => {
      command.requiredOption(...FILE).option(...PRUNE);
    },
    async run(call) {
      const steps = await plan(call);
      if (call.json) printSteps(call, steps);
      else await show(call, steps);
      return steps.some((step) => step.outcome !== 'unchanged') ? 'no' : 'ok';
    },
  });
}

/** Reads and checks all files before anything is changed, and reports all problems together. */
async function plan({ app, api, terminal, options }: Call): Promise<readonly Step[]> {
  // Only these two commands read YAML and modules.
  const { readDefinitions } = await import('../definitions/read-definitions.ts');
  const { planOf } = await import('../definitions/plan.ts');
  const wanted = readDefinitions(app.cwd, options['file'] as string[]);
  const { steps, problems } = await planOf(api, wanted, { prune: options['prune'] === true });
  const [problem, second] = problems;
  for (const warning of steps.flatMap((step) => step.warnings)) {
    terminal.note(`${terminal.paint.yellow('warning:')} ${warning}`);
  }
  if (problem === undefined) return steps;
  if (second === undefined) throw new UserError('usage', problem);
  for (const each of problems) terminal.note(`${terminal.paint.red('error:')} ${each}`);
  throw new UserError('usage', `${problems.length} definitions are invalid; nothing was changed`);
}

/** Exit codes of requests mean that nothing was done; here something was. */
function inTheMiddle(error: unknown, done: string): unknown {
  if (!(error instanceof UserError)) return error;
  const hint = `${done} changes were made before this error; apply again to continue`;
  const exit = error.exit === 'usage' ? 'conflict' : error.exit;
  return new UserError(exit, error.message, hint);
}

async function isAgreed({ app, api, options }: Call, changes: number): Promise<boolean> {
  if (changes === 0 || options['yes'] === true) return true;
  const answer = await app.confirm(`Apply ${changes} change(s) to ${api.access.url}?`);
  if (answer !== null) return answer;
  const message = 'nothing was changed, because the terminal is not interactive';
  throw new UserError('usage', message, 'use --yes to apply without a question');
}

async function show({ terminal }: Call, steps: readonly Step[]): Promise<void> {
  const { printPlan } = await import('../definitions/print-plan.ts');
  printPlan(terminal, steps);
}

function printSteps({ terminal }: Call, steps: readonly Step[]): void {
  for (const { kind, name, outcome, version, differences } of steps) {
    printJson(terminal, { kind, name, outcome, version, differences });
  }
}
