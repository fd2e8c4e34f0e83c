import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheDir, root } from '../files.ts';
import { npm, QUIET } from '../npm.ts';
import { compile } from './compile.ts';
import { publishedManifest } from './manifest.ts';
import { type Package, readWorkspace } from './packages.ts';

/** Makes a tarball of every package in `out`; returns their paths. */
export async function pack({ out }: { out: string }): Promise<string[]> {
  const { packages, sources } = readWorkspace();
  mkdirSync(cacheDir, { recursive: true });
  const staging = mkdtempSync(join(cacheDir, 'pack-'));
  try {
    await compile({ sources, outDir: staging });
    for (const each of packages) stage(each, staging);
    mkdirSync(out, { recursive: true });
    const folders = packages.map(({ folder }) => `./${folder}`);
    await npm(['pack', ...folders, '--pack-destination', resolve(out), ...QUIET], { cwd: staging });
    return packages.map(({ manifest }) => join(resolve(out), tarballName(manifest)));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Lays a package out as its tarball will be. */
function stage({ folder, manifest }: Package, staging: string): void {
  const source = join(root, 'packages', folder);
  const target = join(staging, folder);
  renameSync(join(target, 'src'), join(target, 'dist'));
  const content = JSON.stringify(publishedManifest(manifest), null, 2);
  writeFileSync(join(target, 'package.json'), `${content}\n`);
  if (!existsSync(join(source, 'README.md'))) throw new Error(`${source} has no README.md`);
  cpSync(join(source, 'README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
}

/** As npm names it: `@signalbox/node` is `signalbox-node-0.1.0.tgz`. */
function tarballName({ name, version }: { name: string; version: string }): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}
