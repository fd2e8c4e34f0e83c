import { duration } from '@signalbox/node/settings';
import type { Trigger, TriggerDefinition, TriggerTested } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { readInput } from '../client/read-input.ts';
import { printJson, printValue } from '../print/json.ts';
import { printTrigger, TRIGGER_HEAD, triggerRow } from '../print/trigger-view.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addNamed } from './named.ts';
import { PRIORITY_FLAG, readPriority } from './priority-option.ts';

type Options = Readonly<Record<string, string | number | boolean | undefined>>;

export function addTriggers(registry: Registry, program: Command): void {
  const triggers = addCommand(program, 'triggers', {
    summary: 'rules that start a job from an event',
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
      show: 'show a trigger, and what it lately refused',
      delete: 'delete a trigger; its runs stay',
    },
    hint: 'signalbox triggers create NAME JOB …',
  });
  addSave(registry, triggers);
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
      return undefined;
    },
  });
  addClientCommand(registry, parent, {
    usage: 'update <trigger>',
    summary: 'change the given fields, and keep the rest',
    configure: saveOptions,
    async run({ api, terminal, args, options, json }) {
      const { version, definition } = await api.get<Trigger>(pathOf('triggers', args[0]));
      const wanted = changed(definition, options as Options);
      const seen = { 'if-match': `"${version}"` };
      const saved = await api.put<Trigger>(pathOf('triggers', args[0]), wanted, seen);
      if (json) printJson(terminal, saved);
      else await printTrigger(terminal, saved);
      return undefined;
    },
  });
}

function saveOptions(command: Command): void {
  command
    .option('--source <source>', 'of the events, exact or with * behind its beginning')
    .option('--type <type>', 'likewise')
    .option('--subject <subject>', 'likewise')
    .option('--filter <cel>', 'CEL over `event` that must be true')
    .option('--input <json>', 'JSON with ${CEL} in it; the data of the event unless told')
    .option(
      '--idempotency-key <cel>',
      'events with the same value are one; source and id unless told',
    )
    .option(PRIORITY_FLAG, 'P0, P1, P2 or 1 to 10; the job says otherwise', readPriority)
    .option('--expect-cron <expr>', 'an event is expected at these times')
    .option('--tz <zone>', 'IANA name of the time zone of --expect-cron; UTC unless told')
    .option('--expect-every <time>', 'or every so often, like 6h')
    .option('--buffer <time>', 'how long it is waited for before a run starts without it')
    .addOption(new Option('--late <policy>', 'what a later event does').choices(['run', 'skip']))
    .addOption(
      new Option('--hook <style>', 'an address of its own for signed webhooks').choices([
        ...['github', 'stripe', 'standard'],
      ]),
    )
    .option('--secret <text>', 'of the hook; one is made, and shown once, unless told')
    .option('--enable', 'start runs')
    .option('--disable', 'start none until it is enabled');
}

/** The definition with what the options say. */
function changed(before: TriggerDefinition, options: Options): TriggerDefinition {
  const texts = ['source', 'type', 'subject', 'filter', 'idempotencyKey', 'priority'] as const;
  const said = texts.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [[name, value]];
  });
  const { input } = options;
  const expect = expectOf(before, options);
  const hook = hookOf(before, options);
  return {
    ...before,
    ...(Object.fromEntries(said) as Partial<TriggerDefinition>),
    ...(typeof input === 'string' ? { input: jsonOf(input) } : {}),
    ...(expect === undefined ? {} : { expect }),
    ...(hook === undefined ? {} : { hook }),
    ...(options['enable'] === true ? { enabled: true } : {}),
    ...(options['disable'] === true ? { enabled: false } : {}),
  };
}

function expectOf({ expect }: TriggerDefinition, options: Options): TriggerDefinition['expect'] {
  const { expectCron: cron, expectEvery: every, tz: zone, buffer, late } = options;
  if ([cron, every, zone, buffer, late].every((each) => each === undefined)) return expect;
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
    ...(zone === undefined ? {} : { zone: String(zone) }),
    ...(late === undefined ? {} : { late: late as 'run' | 'skip' }),
    buffer: buffer === undefined ? before : timeOf('--buffer', buffer),
  };
}

function hookOf({ hook }: TriggerDefinition, options: Options): TriggerDefinition['hook'] {
  const { hook: style, secret } = options;
  if (style === undefined && secret === undefined) return hook;
  if (style === undefined && hook === undefined) {
    throw new UserError('usage', '--secret needs --hook with the style of the hook');
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
    summary: 'evaluate a saved trigger for an event, or for its data alone; starts nothing',
    examples: [
      ['signalbox triggers test paid @event.json', 'exit code 1 where nothing would start'],
      ['signalbox triggers test paid \'{"total": 11}\'', 'the data of an event it listens to'],
    ],
    async run({ api, app, terminal, args, json }) {
      const [name, text = ''] = args;
      const given = await readInput(app, text);
      const isEvent = isCloudEvent(given);
      if (!isEvent) {
        terminal.note('no specversion: taken for the data of an event that it listens to');
      }
      const tested = await api.post<TriggerTested>('/triggers/test', {
        name,
        ...(isEvent ? { event: given } : { data: given }),
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
