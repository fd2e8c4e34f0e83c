import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { UserError } from '../user-error.ts';
import { requireExact } from './exact-numbers.ts';

/** What an argument says, names (`@FILE`) or pipes in (`-`): bytes, or a value that is JSON. */
export async function readInput(app: App, argument: string): Promise<unknown> {
  if (argument === '-') return inputOf(await app.readInput());
  if (argument.startsWith('@')) {
    const path = resolve(app.cwd, argument.slice(1));
    try {
      return inputOf(readFileSync(path));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UserError('usage', `cannot read the input: ${why}`);
    }
  }
  return textInput(argument);
}

/** A pipe may carry anything: JSON as JSON, every other text as text, bytes as bytes. */
function inputOf(bytes: Uint8Array): unknown {
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
  return textInput(content);
}

function textInput(content: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    // Text that is meant as JSON and is broken must not run as a text.
    if (!/^\s*[{["]/.test(content)) return content;
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError('usage', `the input is not valid JSON: ${why}`);
  }
  return requireExact(value, 'the input');
}
