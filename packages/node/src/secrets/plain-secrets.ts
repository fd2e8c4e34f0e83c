import type { JobDefinition, Warning } from '@signalbox/protocol';
import { isSecretRef } from './secret-refs.ts';

const HEADERS =
  /(?:^|-)(?:authorization|cookie|token|secret|password|credentials?|(?:api|access|auth)-?key)$/i;
/** At the end of a word: `PGPASSWORD` and `API_KEY_2`, but not `KEYBOARD`. */
const VARIABLES =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|KEY|(?:^|_)(?:PASS|PWD))(?:S?$|S?_|\d)/i;
/** Variables with such a name often contain where a secret is, and not the secret. */
const LOCATION = /^(?:\.{0,2}\/|https?:\/\/[^@]*$)/;
/** Prefixes and shapes that issuers give to their keys, so that they can be found. */
const KNOWN = [
  /^(?:bearer|basic|token) +\S/i,
  /\b(?:sk|rk)_(?:live|test)_\w{8}/,
  /\bsk-[\w-]{16}/,
  /\bgh[opsur]_\w{20}/,
  /\bgithub_pat_\w{20}/,
  /\bglpat-[\w-]{16}/,
  /\bxox[abeprs]-[\w-]{10}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bAIza[\w-]{35}/,
  /\b(?:sbx|whsec|npm|dop_v1)_[\w+/=-]{20}/,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:[^/?#\s@]+@/i,
];

/** Values in a definition that look like secrets. Everybody who may read the definition can read them. */
export function plainSecrets(definition: JobDefinition): Warning[] {
  const warnings: Warning[] = [];
  for (const [i, { command, http }] of (definition.tasks ?? []).entries()) {
    for (const [name, value] of Object.entries(http?.headers ?? {})) {
      if (isSecretRef(value) || value === '') continue;
      if (HEADERS.test(name) || isKnown(value)) {
        warnings.push(warningAt(`tasks[${i}].http.headers.${name}`));
      }
    }
    for (const [name, value] of Object.entries(command?.env ?? {})) {
      if (isSecretRef(value) || value === '') continue;
      if ((VARIABLES.test(name) && !LOCATION.test(value)) || isKnown(value)) {
        warnings.push(warningAt(`tasks[${i}].command.env.${name}`));
      }
    }
  }
  return warnings;
}

function isKnown(value: string): boolean {
  return KNOWN.some((shape) => shape.test(value));
}

/** Never with the value: answers and terminals are logged. */
function warningAt(field: string): Warning {
  const message = 'looks like a secret and is stored as plain text; use { secret: NAME } instead';
  return { field, message };
}
