import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { JobDefinition } from '@signalbox/protocol';
import { parseAllDocuments } from 'yaml';
import { UserError } from '../user-error.ts';
import { jobsOf, loadModule } from './load-module.ts';

/** A definition as a file has it. */
export interface WantedJob {
  readonly name: string;
  readonly definition: JobDefinition;
  /** For messages. */
  readonly file: string;
}

const DATA = /\.(ya?ml|json)$/;
const MODULE = /\.(ts|mts|js|mjs)$/;
const NOT_JOBS = /\.(test|spec|d)\.[mc]?[tj]s$/;

/** Every job in the files and, one after the other by name, in the folders and those below. */
export function readDefinitions(cwd: string, paths: readonly string[]): WantedJob[] {
  const files = paths.flatMap((path) => filesOf(resolve(cwd, path), true));
  const wanted = files.flatMap((file) => readFile(file, relative(cwd, file) || file));
  const byName = new Map<string, WantedJob>();
  for (const job of wanted) {
    const other = byName.get(job.name);
    if (other !== undefined) {
      throw new UserError('usage', `the job ${job.name} is in ${other.file} and in ${job.file}`);
    }
    byName.set(job.name, job);
  }
  if (wanted.length === 0) throw new UserError('usage', `no job is defined in ${paths.join(', ')}`);
  return wanted;
}

function filesOf(path: string, isNamed: boolean): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UserError('usage', `there is no ${path}`);
  if (!stats.isDirectory()) {
    if (isNamed || ((DATA.test(path) || MODULE.test(path)) && !NOT_JOBS.test(path))) return [path];
    return [];
  }
  const entries = readdirSync(path).sort();
  const seen = entries.filter((name) => !name.startsWith('.') && name !== 'node_modules');
  return seen.flatMap((name) => filesOf(join(path, name), false));
}

function readFile(path: string, shown: string): WantedJob[] {
  if (MODULE.test(path)) {
    return jobsOf(loadModule(path)).map(({ name, definition }) => ({
      name,
      definition: JSON.parse(JSON.stringify(definition)) as JobDefinition,
      file: shown,
    }));
  }
  if (!DATA.test(path)) {
    throw new UserError('usage', `${shown} is neither YAML nor JSON nor TypeScript nor JavaScript`);
  }
  const documents = parseAllDocuments(readFileSync(path, 'utf8'));
  if ('empty' in documents) return [];
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new UserError('usage', `${shown}: ${error.message.split('\n', 1)[0]}`);
    const content: unknown = document.toJS({ maxAliasCount: 100 });
    return content === null ? [] : toJobs(content, shown);
  });
}

/** `job: NAME` and the fields of the definition beside it; a list of such is fine too. */
function toJobs(content: unknown, file: string): WantedJob[] {
  if (Array.isArray(content)) return content.flatMap((each) => toJobs(each, file));
  if (typeof content === 'object' && content !== null) {
    const { job, ...definition } = content as { job?: unknown };
    if (typeof job === 'string')
      return [{ name: job, definition: definition as JobDefinition, file }];
  }
  throw new UserError('usage', `${file}: a definition begins with "job: NAME"`);
}
