import type { Trigger, TriggerDefinition } from '@signalbox/protocol';
import { printData } from './json.ts';
import { printFields, printTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { relative } from './times.ts';

export const TRIGGER_HEAD = ['NAME', 'JOB', 'STATE', 'LISTENS TO', 'EXPECTED', 'VERSION'] as const;

export function triggerRow(terminal: Terminal, trigger: Trigger): string[] {
  const { name, state, definition, expectedAt, version } = trigger;
  return [
    name,
    definition.job,
    state === 'active' ? state : terminal.paint.yellow(state),
    listensTo(definition),
    expectedAt === undefined ? '' : `${expectedAt} (${relative(expectedAt, terminal.now())})`,
    String(version),
  ];
}

function listensTo({ source, type, subject, hook }: TriggerDefinition): string {
  if (hook !== undefined) return `hook (${hook.style})`;
  return [
    type ?? '*',
    `of ${source ?? '*'}`,
    ...(subject === undefined ? [] : [`on ${subject}`]),
  ].join(' ');
}

export async function printTrigger(terminal: Terminal, trigger: Trigger): Promise<void> {
  const { expectedAt, hookPath, secret, refusals = [] } = trigger;
  printFields(terminal, [
    ['trigger', trigger.name],
    ['version', String(trigger.version)],
    ['state', trigger.state],
    ['saved', `${relative(trigger.at, terminal.now())} by ${trigger.author}`],
    ...(expectedAt === undefined ? [] : ([['expects', expectedAt]] as const)),
    ...(hookPath === undefined ? [] : ([['hook', hookPath]] as const)),
    ...(secret === undefined ? [] : ([['secret', `${secret} (shown only now)`]] as const)),
  ]);
  terminal.line('');
  const { stringify } = await import('yaml');
  printData(terminal, stringify(trigger.definition));
  if (refusals.length === 0) return;
  terminal.line('');
  const rows = refusals.map(({ at, source, id, reason }) => [at, source, id, reason]);
  printTable(terminal, ['REFUSED', 'SOURCE', 'EVENT', 'REASON'], rows);
}
