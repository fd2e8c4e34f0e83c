import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { World } from '../testing/child.ts';

const KEY = randomBytes(32).toString('hex');

/** Permissions of everything below a folder, by relative path. */
function modesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true }).map(String);
  return Object.fromEntries(
    paths.map((path) => [path, (statSync(join(folder, path)).mode & 0o777).toString(8)]),
  );
}

function newWorld(): World {
  const world = new World();
  const umask = process.umask(0o022);
  onTestFinished(() => {
    process.umask(umask);
    world.remove();
  });
  return world;
}

/** Stores a payload outside the database, so that there are files of every sort. */
async function submitLarge(world: World, access: Record<string, string>): Promise<void> {
  writeFileSync(join(world.folder, 'job.yaml'), 'job: large\n');
  expect((await world.call(['apply', '-f', 'job.yaml', '--yes'], access)).code).toBe(0);
  const input = JSON.stringify('x'.repeat(400_000));
  const submitted = await world.call(['submit', 'large', input], access);
  expect(submitted.code, submitted.err).toBe(0);
}

it('a node creates its folder and files for their owner alone', async () => {
  const world = newWorld();
  const node = world.start(['node', '--port', '0', '--data', 'state/data'], { SIGNALBOX_KEY: KEY });
  const [, url = ''] = await node.printed(/node is listening at (\S+)/);
  await submitLarge(world, { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY });
  const modes = modesIn(join(world.folder, 'state'));
  expect(Object.keys(modes)).toEqual(
    expect.arrayContaining(['data', 'data/blobs', 'data/signalbox.sqlite', 'data/dev.lock']),
  );
  for (const [path, mode] of Object.entries(modes)) {
    const isFolder = statSync(join(world.folder, 'state', path)).isDirectory();
    expect([path, mode]).toEqual([path, isFolder ? '700' : '600']);
  }
  const { err } = await node.stop();
  expect(err).not.toContain('data.exposed');
}, 60_000);

it('a node narrows files that others can read, and reports a folder that others can list', async () => {
  const world = newWorld();
  const data = join(world.folder, 'data');
  mkdirSync(join(data, 'blobs'), { recursive: true });
  for (const name of ['signalbox.sqlite', 'signalbox.sqlite-wal']) {
    writeFileSync(join(data, name), '');
    chmodSync(join(data, name), 0o644);
  }
  chmodSync(data, 0o755);
  const node = world.start(['node', '--port', '0', '--data', 'data'], { SIGNALBOX_KEY: KEY });
  await node.printed(/node is listening at (\S+)/);
  expect(modesIn(data)).toMatchObject({
    blobs: '700',
    'signalbox.sqlite': '600',
    'signalbox.sqlite-wal': '600',
    'signalbox.sqlite-shm': '600',
  });
  expect((statSync(data).mode & 0o777).toString(8)).toBe('755');
  const { err } = await node.stop();
  const line = err.split('\n').find((each) => each.includes('data.exposed')) ?? '{}';
  const fields = { level: 'WARN', folder: data, mode: '755', fix: `chmod 700 ${data}` };
  expect(JSON.parse(line)).toMatchObject(fields);
}, 60_000);
