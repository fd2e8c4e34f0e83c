/** A module beside the caller that a thread starts from: `.ts` from source, `.js` once built. */
export function siblingModule(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
}
