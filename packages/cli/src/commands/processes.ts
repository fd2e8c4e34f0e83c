import type { Part, Settings } from '@signalbox/node/settings';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { DEV_DEFAULTS } from '../dev/defaults.ts';
import { addSettingOptions, type Defaults, settingsOf } from '../processes/setting-options.ts';
import { addCommand, type CommandParams, type Registry } from './define.ts';

interface ProcessParams extends CommandParams {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly defaults?: Defaults;
  /** `umask` is the file mode mask that the process had when it started. */
  run(app: App, settings: Settings, umask: number): Promise<void>;
}

/** The commands that run until they are stopped. Each is loaded on demand. */
export function addProcesses(registry: Registry, program: Command): void {
  addProcess(registry, program, {
    name: 'dev',
    summary: 'run a node and a worker on a file, with example jobs',
    parts: ['node', 'worker'],
    defaults: DEV_DEFAULTS,
    examples: [
      ['signalbox dev', 'on .signalbox/ in this folder'],
      ['signalbox dev --jobs jobs.ts', 'with your jobs'],
      ['signalbox dev --allow-command', 'lets job definitions run commands here'],
    ],
    run: async (app, settings, umask) =>
      (await import('../dev/run-dev.ts')).runDev(app, settings, umask),
  });
  addProcess(registry, program, {
    name: 'node',
    summary: 'run a node',
    parts: ['node'],
    examples: [
      ['SIGNALBOX_KEY=$(openssl rand -hex 32) signalbox node', 'on a file'],
      ['signalbox node --store postgres://db/signalbox --config node.yaml', 'on PostgreSQL'],
    ],
    run: async (app, settings) => (await import('../processes/run-node.ts')).runNode(app, settings),
  });
  addProcess(registry, program, {
    name: 'worker',
    summary: 'run a worker',
    parts: ['worker'],
    examples: [
      ['signalbox worker --jobs jobs.ts', 'handlers of a module, for the node of this folder'],
      ['signalbox worker --url http://a:7070,http://b:7070 --allow-command', 'commands, two nodes'],
    ],
    run: async (app, settings, umask) =>
      (await import('../processes/run-worker.ts')).runWorker(app, settings, umask),
  });
}

function addProcess({ app, ending }: Registry, program: Command, params: ProcessParams): void {
  const command = addCommand(program, params.name, {
    ...params,
    configure: (each) => addSettingOptions(each, params),
  });
  command.action(async () => {
    const settings = await settingsOf(app, command, params.parts);
    // Whatever this process creates contains data of tenants, or a key.
    await params.run(app, settings, process.umask(0o077));
    ending.exit = 'ok';
  });
}
