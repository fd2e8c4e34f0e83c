import { readFileSync } from 'node:fs';
import { DEFAULT_SETTINGS } from '@signalbox/engine';
import {
  CommandWork,
  EXIT_CODE_MAX,
  EXIT_CODE_MIN,
  HttpWork,
  MESSAGE_BYTES_MAX,
  NAME_PATTERN,
  PAYLOAD_INLINE_MAX,
} from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { BLOB_BYTES_MAX } from '../api/base.ts';
import type { ParentResult } from '../inputs/parents-document.ts';
import { LINE_CHARACTERS_MAX } from '../logs/clean-text.ts';
import { DEFAULT_GATEWAY_LIMITS as GATEWAY } from './limits.ts';
import { DEFAULT_SOCKET_LIMITS as SOCKET } from './socket-limits.ts';

const page = readFileSync(new URL('../../../../docs/worker-protocol.md', import.meta.url), 'utf8');

/** A worker is told a time as whole milliseconds, and limits as the node stores them. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  timeout: 'timeoutMs',
  maxRedirects: 'redirectsMax',
};

/** The part of the page below a heading, up to the next one. */
function section(title: string): string {
  const from = page.indexOf(`# ${title}\n`);
  expect(from, `a section ${title}`).toBeGreaterThan(0);
  const to = page.indexOf('\n#', from + 1);
  return page.slice(from, to);
}

/** Fields by the first column of the table; those with a `?` may be left out. */
function fieldsOf(title: string): Record<string, boolean> {
  const rows = [...section(title).matchAll(/\n\| `(\w+)`(\??) \|/g)];
  return Object.fromEntries(rows.map(([, field, mark]) => [field, mark === '']));
}

/** The limits that the link itself checks are compared in the package that has them. */
const LIMITS: Record<string, number> = {
  'message.bytes': MESSAGE_BYTES_MAX,
  'payload.bytes': PAYLOAD_INLINE_MAX,
  'blob.bytes': BLOB_BYTES_MAX,
  'exitCode.min': EXIT_CODE_MIN,
  'exitCode.max': EXIT_CODE_MAX,
  'log.length': LINE_CHARACTERS_MAX,
  'hello.ms': GATEWAY.helloMs,
  'hello.executors': GATEWAY.executorsMax,
  'hello.labels': GATEWAY.labelsMax,
  'hello.slots': GATEWAY.slotsMax,
  'hello.gpu': GATEWAY.gpuMax,
  'hello.amount': GATEWAY.amountMax,
  'second.messages': SOCKET.messagesPerSecond,
  'second.frames': SOCKET.framesPerSecond,
  'second.bytes': SOCKET.bytesPerSecond,
  'unread.bytes': GATEWAY.bufferedBytesMax,
  'node.connections': SOCKET.connectionsMax,
  'accept.ms': DEFAULT_SETTINGS.acceptMs,
  'stop.ms': DEFAULT_SETTINGS.stopSlackMs,
  'silent.ms': DEFAULT_SETTINGS.silentMs,
};

/** Every member, and whether it is always there: the compiler keeps it complete. */
const PARENT: Record<keyof ParentResult, boolean> = {
  state: true,
  error: false,
  output: false,
  bytes: false,
  blob: false,
  total: false,
  results: false,
  failures: false,
};

describe('docs/worker-protocol.md against the node', () => {
  it('lists every limit with its value', () => {
    const listed = [...section('Limits').matchAll(/\n\| `([\w.]+)` \| (-?[\d,]+) \|/g)];
    const values = new Map(
      listed.map(([, name = '', value = '']) => [name, Number(value.replaceAll(',', ''))]),
    );
    for (const [name, value] of Object.entries(LIMITS)) {
      expect([name, values.get(name)]).toEqual([name, value]);
    }
    const ofTheLink = [
      'message.columns',
      'name.length',
      'text.length',
      'list.length',
      'number.max',
    ];
    expect([...values.keys()].sort()).toEqual([...Object.keys(LIMITS), ...ofTheLink].sort());
  });

  it.each([
    ['command', CommandWork],
    ['http', HttpWork],
  ])('has every field of the work of %s', (executor, schema) => {
    const required: readonly string[] = schema.required ?? [];
    const names = Object.keys(schema.properties).map((name) => WIRE_NAMES[name] ?? name);
    expect(fieldsOf(`Work of \`${executor}\``)).toEqual(
      Object.fromEntries(names.map((name) => [name, required.includes(name)])),
    );
  });

  it('has every member that a task is told of a parent', () => {
    expect(fieldsOf('Parents')).toEqual(PARENT);
  });

  it('has the grammar of worker names', () => {
    expect(page).toContain(`\`${NAME_PATTERN}\``);
  });
});
