import { makeLog } from '@signalbox/node/log';
import type { Settings } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { openNode } from './open-node.ts';
import { untilStopped } from './until-stopped.ts';

/** `signalbox node`: a node alone, until it is told to stop. */
export async function runNode(app: App, settings: Settings): Promise<void> {
  const { values } = settings;
  const log = makeLog({ level: values['log-level'], format: values['log-format'] });
  const { key, port } = values;
  const node = await openNode({ app, settings, key: key ?? '', port, log, waits: true });
  app.terminal.line(`node is listening at ${node.url}`);
  await untilStopped(app.terminal, () => node.stop());
}
