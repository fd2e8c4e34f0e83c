import { UserError } from '../user-error.ts';
import { isKind, KIND_NAMES, type Kind } from './kinds.ts';

/** A definition as a file has it. */
export interface Wanted {
  readonly kind: Kind;
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** For messages: `jobs/etl.yaml:12`, the line of the field where the file has lines. */
  readonly where: Where;
}

/** Names the place of a field like `tasks[0].after`; of the whole where none is given. */
export type Where = (field?: string) => string;

/**
 * `kind` and `name`, and the fields of the definition beside them. A document without a kind is a job,
 * and may say `job: NAME` for its name.
 */
export function wantedOf(content: unknown, where: Where): Wanted {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new UserError(
      'usage',
      `${where()}: a definition must be an object with "kind" and "name"`,
    );
  }
  const { kind = 'Job', ...fields } = content as Readonly<Record<string, unknown>>;
  if (!isKind(kind)) {
    const names = KIND_NAMES.join(', ').replace(/, (\w+)$/, ' or $1');
    throw new UserError('usage', `${where('kind')}: kind: must be ${names}`);
  }
  const nameField = kind === 'Job' && fields['name'] === undefined ? 'job' : 'name';
  const { [nameField]: name, ...definition } = fields;
  if (typeof name !== 'string') {
    throw new UserError('usage', `${where()}: name: must be a string`);
  }
  return { kind, name, definition, where };
}
