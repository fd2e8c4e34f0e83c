import type { System } from './system.ts';

/** Leaves out what cannot be measured on this machine, and says why in one line each. */
export function availableSystems(
  systems: readonly System[],
  log: (line: string) => void,
): readonly System[] {
  return systems.filter(({ name, missing }) => {
    const reason = missing?.() ?? null;
    if (reason !== null) log(`${name} is left out: ${reason.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
    return reason === null;
  });
}
