import { bubblewrapWorks } from './bubblewrap.ts';
import type { CommandExecutorOptions } from './command-options.ts';
import { namespacesWork } from './namespaces.ts';

/** What keeps a command from the worker and from the rest of the machine; the strongest first. */
export type Isolation = 'bubblewrap' | 'namespaces' | 'none';

export interface Probes {
  readonly bubblewrap: () => boolean;
  readonly namespaces: () => boolean;
}

const PROBES: Probes = { bubblewrap: bubblewrapWorks, namespaces: namespacesWork };

/** What this machine offers. Throws if it offers less than is demanded: weaker isolation is no substitute. */
export function chooseIsolation(
  wanted: CommandExecutorOptions['isolation'] = 'auto',
  probes: Probes = PROBES,
): Isolation {
  if (wanted === 'none') return 'none';
  if (wanted !== 'namespaces' && probes.bubblewrap()) return 'bubblewrap';
  if (wanted === 'bubblewrap') {
    throw new Error('bubblewrap is not installed or cannot be used on this machine');
  }
  if (probes.namespaces()) return 'namespaces';
  if (wanted === 'auto') return 'none';
  throw new Error('user namespaces cannot be used on this machine, or unshare is not installed');
}

/** What a command can still reach, for the line that a worker logs when it starts. */
export const EXPOSED: Readonly<Record<Isolation, readonly string[]>> = {
  bubblewrap: [],
  namespaces: ["writable files of the worker's user, except hidden folders"],
  none: [
    'environment and key of the worker',
    'data folder',
    "all files of the worker's user",
    'concurrent attempts',
    'network',
  ],
};
