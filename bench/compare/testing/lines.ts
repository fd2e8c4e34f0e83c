import type { Measurement } from '../measurement.ts';
import type { Shape, System } from '../systems/system.ts';

/** A measurement with the given figures, as a round would have made it. */
export function measured(params: {
  system: string;
  shape?: Shape;
  label?: string;
  round?: number;
  figures: Readonly<Record<string, number>>;
  cpu?: number;
  isDisturbed?: boolean;
}): Measurement {
  const { system, shape = 'steady', label = '', round = 0, figures, cpu = 1 } = params;
  return {
    system,
    shape,
    label,
    round,
    figures,
    cost: {
      usage: { seconds: 1, cpuSeconds: { worker: 1 }, foreignCores: 0, stealCores: 0 },
      cpuSecondsPer10k: cpu,
      walBytesPerTask: 700,
      memoryMb: { worker: 100 + round },
    },
    isDisturbed: params.isDisturbed ?? false,
    duplicates: 0,
  };
}

export function system(name: string, store: System['store'], isPeer: boolean): System {
  return {
    name,
    store,
    isPeer,
    words: `the words of ${name}`,
    tunings: {},
    version: () => '1.0.0',
    provide: () => Promise.reject(new Error('it is only a name')),
  };
}

export const SYSTEMS: readonly System[] = [
  system('signalbox', 'postgres', false),
  system('signalbox-embedded', 'postgres', false),
  system('slow-peer', 'postgres', true),
  system('fast-peer', 'postgres', true),
  system('bullmq', 'redis', true),
];
