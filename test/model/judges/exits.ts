/** No process ends by itself: a node waits for a database that is away, also while it starts. */
export function judgeExits(
  processes: readonly { readonly name: string; readonly exits: readonly number[] }[],
): string[] {
  return processes.flatMap(({ name, exits }) => {
    return exits.map((at) => `${name} ended by itself at ${new Date(at).toISOString()}`);
  });
}
