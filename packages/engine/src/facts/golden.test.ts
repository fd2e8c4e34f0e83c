import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Book } from '../model/book.ts';
import { decodeCheckpoint } from '../recover/checkpoint.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { buildSpec } from '../testing/builders.ts';
import { FACTS } from '../testing/fact-arbitraries.ts';
import { GOLDEN_AT, GOLDEN_PARTITION, GOLDEN_SAMPLES } from '../testing/golden-samples.ts';
import { decodeGroup } from './decode-group.ts';
import { parseDetail, resultOutput, taskOutput } from './detail.ts';
import { encodeGroup } from './encode-group.ts';
import type { Fact } from './facts.ts';

const folder = new URL('./golden/', import.meta.url);
const KINDS = Object.keys(FACTS) as Fact['kind'][];
const kebab = (kind: string) => kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const read = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));
const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

/** Bytes have no JSON of their own. */
function plain(value: unknown): unknown {
  const withHex = (_key: string, inner: unknown) =>
    inner instanceof Uint8Array ? { hex: Buffer.from(inner).toString('hex') } : inner;
  return JSON.parse(JSON.stringify(value, withHex));
}

/** Writes what is missing, and only that: a golden file that changes is a promise that is broken. */
function writeMissing(): void {
  for (const kind of KINDS) {
    const name = `${kebab(kind)}-1`;
    if (existsSync(new URL(`${name}.bin`, folder))) continue;
    const facts = GOLDEN_SAMPLES[kind];
    const { body } = encodeGroup({ partition: GOLDEN_PARTITION, at: GOLDEN_AT, facts });
    writeFileSync(new URL(`${name}.bin`, folder), body);
    const expected = plain(decodeGroup(GOLDEN_PARTITION, body));
    writeJson(`${name}.json`, expected);
  }
  for (const format of [1, 2, 3, 4]) {
    if (existsSync(new URL(`checkpoint-${format}.json`, folder))) continue;
    writeJson(`checkpoint-${format}.json`, readCheckpoint(format));
  }
}

function writeJson(name: string, value: unknown): void {
  writeFileSync(new URL(name, folder), `${JSON.stringify(value, null, 2)}\n`);
}
if (process.env['GOLDEN'] === 'write') writeMissing();

function readCheckpoint(format: number): unknown {
  const file = new URL(`checkpoint-${format}.jsonl`, folder);
  const [header, ...lines] = readFileSync(file, 'utf8').split('\n');
  const book = new Book(GOLDEN_PARTITION, 9);
  const chunks = [`${header}\n`, lines.join('\n')].map((text) => new Uint8Array(Buffer.from(text)));
  const tasks = [
    { name: 'load', request: { memoryMb: 512 } },
    { name: 'send', after: ['load'] },
  ];
  decodeCheckpoint(book, chunks, (tenant, job, version) => {
    return buildSpec({ tenant, job, version, tasks });
  });
  return plain(dumpBook(book));
}

const files = readdirSync(folder).filter((name) => name.endsWith('.bin'));

describe('golden files', () => {
  it.each(files)('DUR-23 %s is read exactly as on the day it was written', (name) => {
    const expected = readJson(name.replace(/\.bin$/, '.json'));
    expect(expected.length).toBeGreaterThan(0);
    expect(plain(decodeGroup(GOLDEN_PARTITION, read(name)))).toEqual(expected);
  });

  it('DUR-23 are there for every kind of fact', () => {
    expect(KINDS.filter((kind) => !files.includes(`${kebab(kind)}-1.bin`))).toEqual([]);
  });

  it('DUR-23 are there for every version of every kind that the reader knows', () => {
    const source = ['./decode-group.ts', './schedule-lines.ts', './graph-lines.ts']
      .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
      .join('\n');
    const known = [...source.matchAll(/case '([a-z]+\d+)'/g)].map(([, code]) => code as string);
    expect(known.length).toBeGreaterThanOrEqual(KINDS.length);
    const shown = files.map((name) => Buffer.from(read(name)).toString('latin1')).join('\n');
    expect(known.filter((code) => !shown.includes(`["${code}",`))).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'DUR-23 hold a checkpoint of format %s: the same book for ever',
    (format) => {
      expect(readCheckpoint(format)).toEqual(readJson(`checkpoint-${format}.json`));
    },
  );

  it('DUR-23 hold the detail of an ended run, version 2, with its outputs', () => {
    const { detail, base, packed, expected } = readJson('detail-2.json');
    const parsed = parseDetail(detail, base);
    expect(parsed).toEqual(expected);
    const bytes = new Uint8Array(Buffer.from(packed, 'hex'));
    const text = (output: Uint8Array | null) => output && Buffer.from(output).toString();
    expect(text(taskOutput(parsed, 0, bytes))).toBe('{"total":2}');
    expect(text(resultOutput(parsed, bytes))).toBe('"done"');
  });

  it('DUR-23 hold the detail of an ended run, version 1', () => {
    const { detail, base, expected } = readJson('detail-1.json');
    const { tasks } = parseDetail(detail, base);
    expect(tasks.map(({ output: _output, ...task }) => task)).toEqual(expected.tasks);
  });
});
