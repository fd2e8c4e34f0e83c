import type { JobDefinition, Warning } from '@signalbox/protocol';
import type { Caller, NodeContext } from '../../context/index.ts';
import { invalid } from '../../errors/refusals.ts';
import { plainSecrets } from '../../secrets/plain-secrets.ts';
import { SECRET_KIND as kind } from '../../secrets/secret-reader.ts';
import { isSecretRef } from '../../secrets/secret-refs.ts';

/** A definition may refer to many secrets; the check of a request reads only so many of them. */
const CHECKED_MAX = 50;

/**
 * What an author should know about secrets in a definition: values that look like secrets, and references
 * to secrets that do not exist yet. Refuses references on a node that could never read them.
 */
export async function secretWarnings(
  { store, triggers }: NodeContext,
  { tenant }: Caller,
  definition: JobDefinition,
): Promise<Warning[]> {
  const fields = referencesOf(definition);
  const [first] = fields.values();
  if (first !== undefined && triggers.secrets === undefined) {
    throw invalid(first, 'this node has no root key to decrypt secrets with');
  }
  const warnings = plainSecrets(definition);
  for (const [name, field] of [...fields].slice(0, CHECKED_MAX)) {
    const found = await store.getDefinition({ tenant, kind, name });
    if (found !== null && !found.deleted) continue;
    const message = `there is no secret ${name} yet; attempts fail until it is set`;
    warnings.push({ field, message });
  }
  return warnings;
}

/** The first place of each secret that the definition refers to. */
function referencesOf(definition: JobDefinition): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [i, { command, http }] of (definition.tasks ?? []).entries()) {
    const places = { 'command.env': command?.env, 'http.headers': http?.headers };
    for (const [place, texts] of Object.entries(places)) {
      for (const [name, value] of Object.entries(texts ?? {})) {
        if (!isSecretRef(value) || fields.has(value.secret)) continue;
        fields.set(value.secret, `tasks[${i}].${place}.${name}`);
      }
    }
  }
  return fields;
}
