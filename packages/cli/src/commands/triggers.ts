import { duration } from '@signalbox/node/settings';
import type { Trigger, TriggerDefinition, TriggerTested } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { readInput } from '../client/read-input.ts';
import { printJson, printValue } from '../print/json.ts';
import { printTrigger, TRIGGER_HEAD, triggerRow } from '../print/trigger-view.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addNamed, addNamedActions } from './named.ts';
import { PRIORITY_FLAG, readPriority } from './priority-option.ts';

type Options = Readonly<Record<string, string | number | boolean | undefined>>;

export function addTriggers(registry: Registry, program: Command): void {
  const triggers = addCommand(program, 'triggers', {
    summary: 'create and change rules that start a job from an event',
    examples: [
      [
        'signalbox triggers create paid invoice --source /shop --type order.paid',
        'a run for every paid order',
      ],
      [
        'signalbox triggers create after report --source signalbox --type run.succeeded --subject load',
        'a run of report when one of load has succeeded',
      ],
      ['signalbox triggers test paid @event.json', 'what it would make of an event'],
    ],
  });
  addNamed<Trigger>(registry, triggers, {
    collection: 'triggers',
    noun: 'trigger',
    head: TRIGGER_HEAD,
    row: triggerRow,
    print: printTrigger,
    keepsDeleted: true,
    summaries: {
      list: 'list triggers',
      show: 'show a trigger, and the events it refused lately',
      delete: 'delete a trigger; its runs stay',
    },
    hint: 'signalbox triggers create NAME JOB …',
  });
  addSave(registry, triggers);
  addNamedActions(registry, triggers, {
    collection: 'triggers',
    noun: 'trigger',
    actions: [
      ['pause', 'start no runs from events until the trigger is resumed', 'paused'],
      ['resume', 'start runs from events again', 'resumed'],
    ],
  });
  addTest(registry, triggers);
}

function addSave(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'create <trigger> <job>',
    summary: 'create a trigger',
    configure: saveOptions,
    async run({ api, terminal, args, options, json }) {
      const [name, job = ''] = args;
      const definition = changed({ job }, options as Options);
      const saved = await api.put<Trigger>(pathOf('triggers', name), definition, {
        'if-none-match': '*',
      });
      if (json) printJson(terminal, saved);
      else await printTrigger(terminal, saved);
    },
  });
  addClientCommand(registry, parent, {
    usage: 'update <trigger>',
    summary: 'change the given fields of a trigger',
    configure: saveOptions,
    async run({ api, terminal, args, options, json }) {
      const { version, definition } = await api.get<Trigger>(pathOf('triggers', args[0]));
      const wanted = changed(definition, options as Options);
      const seen = { 'if-match': `"${version}"` };
      const saved = await api.put<Trigger>(pathOf('triggers', args[0]), wanted, seen);
      if (json) printJson(terminal, saved);
      else await printTrigger(terminal, saved);
    },
  });
}

function saveOptions(command: Command): void {
  command
    .option('--source <source>', 'source of the events: exact, or a prefix followed by *')
    .option('--type <type>', 'type of the events: exact, or a prefix followed by *')
    .option('--subject <subject>', 'subject of the events: exact, or a prefix followed by *')
    .option(
      '--filter <cel>',
      'CEL expression over `event`; only events for which it is true start a run',
    )
    .option(
      '--input <json>',
      'input of the run: JSON with ${CEL} in it (default: the data of the event)',
    )
    .option(
      '--idempotency-key <cel>',
      'CEL expression; events with the same value start one run (default: source and id)',
    )
    .option(
      PRIORITY_FLAG,
      'priority of its runs: P0, P1, P2 or 1 to 10 (default: that of the job)',
      readPriority,
    )
    .option('--expect-cron <expr>', 'expect an event at these times')
    .option('--expect-timezone <name>', 'IANA time zone of --expect-cron (default: UTC)')
    .option('--expect-every <time>', 'expect an event at this interval, like 6h')
    .option('--expect-buffer <time>', 'start a run without the event after waiting this long')
    .addOption(
      new Option('--expect-late <policy>', 'what an event does that comes later').choices([
        'run',
        'skip',
      ]),
    )
    .addOption(
      new Option('--hook-style <style>', 'give the trigger an address for signed webhooks').choices(
        [...['github', 'stripe', 'standard']],
      ),
    )
    .option('--hook-secret <text>', 'secret of the webhook (default: a new one, shown once)');
}

/** The definition with the fields that the options set. */
function changed(before: TriggerDefinition, options: Options): TriggerDefinition {
  const texts = ['source', 'type', 'subject', 'filter', 'idempotencyKey', 'priority'] as const;
  const present = texts.filter((name) => options[name] !== undefined);
  const { input } = options;
  const expect = expectOf(before, options);
  const hook = hookOf(before, options);
  return {
    ...before,
    ...(Object.fromEntries(
      present.map((name) => [name, options[name]]),
    ) as Partial<TriggerDefinition>),
    ...(typeof input === 'string' ? { input: jsonOf(input) } : {}),
    ...(expect === undefined ? {} : { expect }),
    ...(hook === undefined ? {} : { hook }),
  };
}

function expectOf({ expect }: TriggerDefinition, options: Options): TriggerDefinition['expect'] {
  const { expectCron: cron, expectEvery: every, expectTimezone: timezone } = options;
  const { expectBuffer: buffer, expectLate: late } = options;
  if ([cron, every, timezone, buffer, late].every((each) => each === undefined)) return expect;
  const { buffer: before, ...kept } = expect ?? { buffer: 0 };
  // One way of telling the times takes the place of the other.
  const { late: lateBefore, input } = kept;
  const timeless = {
    ...(lateBefore === undefined ? {} : { late: lateBefore }),
    ...(input === undefined ? {} : { input }),
  };
  const times =
    cron !== undefined
      ? { cron: String(cron) }
      : every !== undefined
        ? { every: timeOf('--expect-every', every) }
        : null;
  return {
    ...(times === null ? kept : { ...timeless, ...times }),
    ...(timezone === undefined ? {} : { timezone: String(timezone) }),
    ...(late === undefined ? {} : { late: late as 'run' | 'skip' }),
    buffer: buffer === undefined ? before : timeOf('--expect-buffer', buffer),
  };
}

function hookOf({ hook }: TriggerDefinition, options: Options): TriggerDefinition['hook'] {
  const { hookStyle: style, hookSecret: secret } = options;
  if (style === undefined && secret === undefined) return hook;
  if (style === undefined && hook === undefined) {
    throw new UserError('usage', '--hook-secret needs a webhook: add --hook-style');
  }
  return {
    ...(hook ?? {}),
    style: (style ?? hook?.style) as NonNullable<TriggerDefinition['hook']>['style'],
    ...(secret === undefined ? {} : { secret: String(secret) }),
  };
}

function addTest(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'test <trigger> <event-or-data>',
    summary:
      'show whether a trigger would start a run from an event, and its input; nothing starts',
    examples: [
      ['signalbox triggers test paid @event.json', 'exit code 1 where nothing would start'],
      ['signalbox triggers test paid \'{"total": 11}\'', 'the data of an event it listens to'],
    ],
    async run({ api, app, terminal, args, json }) {
      const [name, text = ''] = args;
      const input = await readInput(app, text);
      const isEvent = isCloudEvent(input);
      if (!isEvent) {
        terminal.note(
          'no specversion: using this as the data of an event that matches the trigger',
        );
      }
      const tested = await api.post<TriggerTested>('/triggers/test', {
        name,
        ...(isEvent ? { event: input } : { data: input }),
      });
      if (json) printJson(terminal, tested);
      else if (!tested.matches) terminal.note(`it would start nothing: ${tested.reason ?? ''}`);
      else {
        terminal.note('it would start a run with this input:');
        printValue(terminal, tested.input ?? tested.inputBase64 ?? null);
      }
      return tested.matches ? undefined : 'no';
    },
  });
}

/** An attribute that every CloudEvent has, and that data seldom has. */
function isCloudEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'specversion');
}

function timeOf(flag: string, option: unknown): number {
  const ms = duration.read(option);
  if (typeof ms === 'number') return ms;
  throw new UserError('usage', `${flag} ${JSON.stringify(option)} is not ${duration.words}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A single expression need not be quoted twice.
    if (text.startsWith('${')) return text;
    throw new UserError('usage', '--input is not valid JSON');
  }
}
