import { DIMENSIONS, type Resources } from '@signalbox/engine';

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** `2000 cpuMilli, 1 slots`: only what is asked for. */
export function resourcesText(resources: Resources): string {
  const parts = DIMENSIONS.filter((what) => resources[what] > 0).map(
    (what) => `${resources[what]} ${what}`,
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** `1.5 s`, `4 min`: how long something has lasted or will last. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

/** As in every answer of the API. */
export function moment(at: number): string {
  return new Date(at).toISOString();
}

/** A word of a command, quoted where a shell would split or expand it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
