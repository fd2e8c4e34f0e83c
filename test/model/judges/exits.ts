import type { Fault } from '../history.ts';

/** A node that starts while its database is away gives up after a while. */
const START_MS = 20_000;

/** No process ends by itself, unless it could not reach its database while it started. */
export function judgeExits(
  processes: readonly { readonly name: string; readonly exits: readonly number[] }[],
  faults: readonly Fault[],
): string[] {
  return processes.flatMap(({ name, exits }) => {
    const unexplained = exits.filter((at) => {
      return !faults.some(({ target, from, until }) => {
        return target === 'database' && from <= at && at <= until + START_MS;
      });
    });
    return unexplained.map((at) => `${name} ended by itself at ${new Date(at).toISOString()}`);
  });
}
