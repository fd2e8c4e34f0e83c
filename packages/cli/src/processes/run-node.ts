import { resolve } from 'node:path';
import { makeLog } from '@signalbox/node/log';
import type { Settings } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { makeFolder } from '../data-folder/data-folder.ts';
import { lockFolderForNode } from '../data-folder/lock-folder.ts';
import { openNode, requireSafety } from './open-node.ts';
import { untilStopped } from './until-stopped.ts';

/** `signalbox node`: runs a node until it is stopped. */
export async function runNode(app: App, settings: Settings): Promise<void> {
  const { values } = settings;
  const log = makeLog({ level: values['log-level'], format: values['log-format'] });
  const { port } = values;
  const key = values.key ?? '';
  requireSafety(settings, key);
  const unlock = values.store === null ? lockData(resolve(app.cwd, values.data)) : () => {};
  try {
    const node = await openNode({ app, settings, key, port, log, waits: true });
    // Before the line: a supervisor that reads it may stop the node at once, which must be in good order.
    const stopped = untilStopped(app.terminal, () => node.stop());
    app.terminal.line(`node is listening at ${node.url}`);
    await stopped;
  } finally {
    unlock();
  }
}

function lockData(folder: string): () => void {
  makeFolder(folder);
  return lockFolderForNode(folder);
}
