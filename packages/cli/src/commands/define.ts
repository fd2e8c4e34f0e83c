import { Command } from 'commander';
import type { App } from '../app.ts';
import { Api } from '../client/api.ts';
import { findAccess } from '../client/find-access.ts';
import { EXIT_CODES, type ExitName } from '../exit-codes.ts';
import type { Terminal } from '../print/terminal.ts';
import { UserError } from '../user-error.ts';

/** One call of a command that talks to a node. */
export interface Call {
  readonly app: App;
  readonly api: Api;
  readonly terminal: Terminal;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
}

export interface CommandParams {
  /** Runs where its parent is called without a command of its own. */
  readonly isDefault?: boolean;
  readonly summary: string;
  /** What a person would type, and what it does. */
  readonly examples?: readonly (readonly [string, string])[];
  readonly configure?: (command: Command) => void;
}

export interface ClientCommandParams extends CommandParams {
  run(call: Call): Promise<ExitName | undefined>;
}

/** Where a command leaves how it ended. */
export interface Ending {
  exit: ExitName;
}

export interface Registry {
  readonly app: App;
  readonly ending: Ending;
}

export function addCommand(parent: Command, usage: string, params: CommandParams): Command {
  const command = new Command(usage.split(' ')[0] ?? usage);
  for (const argument of usage.split(' ').slice(1)) command.argument(argument);
  command
    .summary(params.summary)
    .description(`${params.summary[0]?.toUpperCase()}${params.summary.slice(1)}.`);
  command.copyInheritedSettings(parent);
  // A mistyped command of its parent arrives here as an argument.
  if (params.isDefault === true) command.allowExcessArguments();
  params.configure?.(command);
  const examples = params.examples ?? [];
  if (examples.length > 0) {
    const width = Math.max(...examples.map(([line]) => line.length));
    const lines = examples.map(([line, what]) => `  $ ${line.padEnd(width)}   # ${what}`);
    command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }
  parent.addCommand(command, { isDefault: params.isDefault === true });
  return command;
}

/** A command that asks a node: with its address, key and tenant, and `--json`. */
export function addClientCommand(
  { app, ending }: Registry,
  parent: Command,
  { usage, ...params }: ClientCommandParams & { usage: string },
): Command {
  const command = addCommand(parent, usage, params);
  command
    .option('--json', 'print JSON')
    .option('--url <address>', 'address of a node (SIGNALBOX_URL)')
    .option('--key <key>', 'API key (SIGNALBOX_KEY)')
    .option('--data <folder>', 'data folder of a running `signalbox dev` (SIGNALBOX_DATA)')
    .option('--tenant <name>', 'tenant to act on (SIGNALBOX_TENANT)');
  command.action(async () => {
    if (params.isDefault === true) requireNoCommand(parent, command.args);
    const options: Record<string, unknown> = command.opts();
    const access = findAccess(app, {
      url: options['url'],
      key: options['key'],
      data: options['data'],
      tenant: options['tenant'],
    });
    const exit = await params.run({
      app,
      api: new Api(access),
      terminal: app.terminal,
      args: command.args,
      options,
      json: options['json'] === true,
    });
    ending.exit = exit ?? 'ok';
  });
  return command;
}

export function exitCodeOf(ending: Ending): number {
  return EXIT_CODES[ending.exit].code;
}

/** The default command of a group takes no arguments: a word there is a command that does not exist. */
function requireNoCommand(parent: Command, [word]: readonly string[]): void {
  if (word === undefined) return;
  const names = parent.commands.map((each) => each.name()).join(', ');
  throw new UserError(
    'usage',
    `${parent.name()} has no command ${JSON.stringify(word)}`,
    `commands of ${parent.name()}: ${names}`,
  );
}
