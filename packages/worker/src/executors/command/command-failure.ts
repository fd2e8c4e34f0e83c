/** A command that is refused before anything of it runs. Trying again changes nothing. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
