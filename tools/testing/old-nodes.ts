import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { nodeProblem } from '@signalbox/protocol/required-node';

export interface OldNode {
  readonly node: string;
  /** As in `process.versions.node`. */
  readonly version: string;
}

/** The Node.js on the PATH that are too old for Signalbox; none on a machine that has only new ones. */
export async function oldNodes(): Promise<OldNode[]> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const nodes = new Set(folders.map((folder) => join(folder, 'node')).filter(existsSync));
  const found = await Promise.all([...nodes].map(versionOf));
  return found.filter(({ version }) => nodeProblem(version) !== null);
}

async function versionOf(node: string): Promise<OldNode> {
  const args = ['-p', 'process.versions.node'];
  const { stdout } = await promisify(execFile)(node, args, { env: {} });
  return { node, version: stdout.trim() };
}
