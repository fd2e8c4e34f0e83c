import type { Command } from 'commander';
import type { Step } from '../definitions/plan.ts';
import { printJson } from '../print/json.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';

const FILE = [
  '-f, --file <path...>',
  'file or folder with definitions; may be given again',
] as const;

export function addApply(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'apply',
    summary: 'define jobs as files say, after showing what would change',
    examples: [
      ['signalbox apply -f jobs/', 'every definition in the folder'],
      ['signalbox apply -f report.yaml --yes', 'without asking'],
    ],
    configure: (command) => {
      command.requiredOption(...FILE).option('-y, --yes', 'do not ask');
    },
    async run(call) {
      const { app, api, terminal, options, json } = call;
      const steps = await plan(call);
      const changes = steps.filter((step) => step.kind !== 'keep');
      if (!json) await show(call, steps);
      if (changes.length > 0 && options['yes'] !== true) {
        const isAgreed = await app.confirm(
          `Apply ${changes.length} change(s) to ${api.access.url}?`,
        );
        if (!isAgreed)
          throw new UserError('usage', 'nothing was changed', 'give --yes to go ahead');
      }
      const { carryOut } = await import('../definitions/plan.ts');
      for (const step of steps) {
        const job = step.kind === 'keep' ? null : await carryOut(api, step);
        const version = job?.version ?? step.version;
        if (json) printJson(terminal, { job: step.job.name, outcome: OUTCOME[step.kind], version });
        else if (job !== null) terminal.line(`${job.name} has version ${version}`);
      }
      if (!json && changes.length === 0) terminal.line('nothing to change');
      return undefined;
    },
  });
}

export function addDiff(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'diff',
    summary: 'show what apply would change; exit code 10 if there is something',
    examples: [['signalbox diff -f jobs/', 'every definition in the folder']],
    configure: (command) => {
      command.requiredOption(...FILE);
    },
    async run(call) {
      const steps = await plan(call);
      if (!call.json) await show(call, steps);
      else {
        for (const { job, kind, differences } of steps) {
          printJson(call.terminal, { job: job.name, outcome: OUTCOME[kind], differences });
        }
      }
      return steps.some((step) => step.kind !== 'keep') ? 'differs' : 'ok';
    },
  });
}

const OUTCOME = { create: 'created', change: 'changed', keep: 'unchanged' } as const;

async function plan({ app, api, options }: Call): Promise<Step[]> {
  // Only these two commands read YAML and modules.
  const { readDefinitions } = await import('../definitions/read-definitions.ts');
  const { planOf } = await import('../definitions/plan.ts');
  return planOf(api, readDefinitions(app.cwd, options['file'] as string[]));
}

async function show({ terminal }: Call, steps: readonly Step[]): Promise<void> {
  const { printPlan } = await import('../definitions/plan.ts');
  printPlan(terminal, steps);
}
