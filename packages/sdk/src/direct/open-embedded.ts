import { startNode } from '@signalbox/node';
import type { Backend } from '../backend.ts';
import { DirectBackend } from './direct-backend.ts';

/** Starts a node in this process, without HTTP, and waits until it may decide. */
export async function openEmbedded(
  address: string,
  options: { tenant?: string; dataDir?: string },
): Promise<Backend> {
  const { tenant = 'default', dataDir } = options;
  const node = await startNode({
    store: address,
    http: false,
    ...(dataDir !== undefined && { dataDir }),
    // Not exiting: the process is the user's. Later calls fail, and the log contains the reason.
    onFatal: () => {},
  });
  try {
    await node.ready();
  } catch (error) {
    // What is left of it holds the file.
    await node.stop().catch(() => {});
    throw error;
  }
  return new DirectBackend(node, tenant);
}
