import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { UserError } from '../user-error.ts';
import { titleOf } from './kinds.ts';
import { definitionsOf, loadModule } from './load-module.ts';
import type { Wanted } from './wanted.ts';
import { readYaml } from './yaml-file.ts';

const DATA = /\.(ya?ml|json)$/;
const MODULE = /\.(ts|mts|js|mjs)$/;
const NOT_JOBS = /\.(test|spec|d)\.[mc]?[tj]s$/;

/** Every definition in the files and, one after the other by name, in the folders and those below. */
export function readDefinitions(cwd: string, paths: readonly string[]): Wanted[] {
  const files = paths.flatMap((path) => filesOf(resolve(cwd, path), true));
  const wanted = files.flatMap((file) => readFile(file, relative(cwd, file) || file));
  const byName = new Map<string, Wanted>();
  for (const each of wanted) {
    const title = titleOf(each);
    const other = byName.get(title);
    if (other !== undefined) {
      throw new UserError(
        'usage',
        `the ${title} is defined twice, in ${other.where()} and in ${each.where()}`,
      );
    }
    byName.set(title, each);
  }
  if (wanted.length === 0) {
    throw new UserError(
      'usage',
      `no definitions found in ${paths.join(', ')}`,
      'a module exports the values that job(…) returns; a YAML file has documents with kind and name',
    );
  }
  return wanted;
}

function filesOf(path: string, isNamed: boolean): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UserError('usage', `there is no file or folder ${path}`);
  if (!stats.isDirectory()) {
    if (isNamed || ((DATA.test(path) || MODULE.test(path)) && !NOT_JOBS.test(path))) return [path];
    return [];
  }
  const entries = readdirSync(path).sort();
  const seen = entries.filter((name) => !name.startsWith('.') && name !== 'node_modules');
  return seen.flatMap((name) => filesOf(join(path, name), false));
}

function readFile(path: string, file: string): Wanted[] {
  if (MODULE.test(path)) return definitionsOf(loadModule(path), file);
  if (DATA.test(path)) return readYaml(readFileSync(path, 'utf8'), file);
  throw new UserError('usage', `${file} must be a YAML, JSON, TypeScript or JavaScript file`);
}
