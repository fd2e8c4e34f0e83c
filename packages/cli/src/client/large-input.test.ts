import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../testing/child.ts';

const world = new World();

describe('signalbox submit with a large input', () => {
  beforeAll(async () => {
    const dev = world.start(['dev', '--port', '0']);
    await dev.printed(/first run of hello: SUCCEEDED/);
  }, 60_000);
  afterAll(() => world.remove());

  it.each([300_000, 2_000_000, 10_000_000])(
    'EXT-19 EXT-08 takes %d bytes of JSON',
    async (size) => {
      const name = 'x'.repeat(size);
      writeFileSync(join(world.folder, 'large.json'), JSON.stringify({ name }));
      const { code, out, err } = await world.call(['submit', 'hello', '@large.json', '--wait']);
      expect([code, err]).toEqual([0, expect.stringContaining('SUCCEEDED')]);
      expect(out === `hello, ${name}\n`).toBe(true);
    },
  );

  it('EXT-19 takes bytes that are no text', async () => {
    writeFileSync(join(world.folder, 'large.bin'), Buffer.alloc(2_000_000, 0xff));
    const { code, out, err } = await world.call(['submit', 'hello', '@large.bin']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('says that an input is too large for any node', async () => {
    writeFileSync(join(world.folder, 'huge.bin'), Buffer.alloc(68_000_000, 0xff));
    const { code, err } = await world.call(['submit', 'hello', '@huge.bin']);
    expect([code, err]).toEqual([2, expect.stringContaining('the input exceeds 67108864 bytes')]);
  });
});
