import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEventStream, type ServerSentEvent } from './event-stream.ts';

async function read(chunks: readonly Uint8Array[]): Promise<ServerSentEvent[]> {
  const body = (async function* () {
    yield* chunks;
  })();
  const events: ServerSentEvent[] = [];
  for await (const event of readEventStream(body)) events.push(event);
  return events;
}

describe('an event stream', () => {
  it('reads the same however it is cut and whichever line break it has', async () => {
    const text =
      'id: 1\nevent: a\ndata: {"x":"ü"}\n\n: beat\n\ndata: one\ndata: two\n\nevent: lost\n\nid: 2\ndata:z\n\ndata: unfinished';
    const expected = [
      { id: '1', event: 'a', data: '{"x":"ü"}' },
      { id: '1', event: '', data: 'one\ntwo' },
      { id: '2', event: '', data: 'z' },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 }),
        async (lineBreak, cuts) => {
          const bytes = new TextEncoder().encode(text.replaceAll('\n', lineBreak));
          const ends = [...new Set(cuts)].filter((at) => at < bytes.length).sort((a, b) => a - b);
          const starts = [0, ...ends];
          const chunks = starts.map((from, i) => bytes.slice(from, ends[i] ?? bytes.length));
          expect(await read(chunks)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives up on a line that does not end', async () => {
    const chunk = new Uint8Array(1_048_576).fill(97);
    await expect(read([chunk, chunk, chunk, chunk, chunk])).rejects.toThrow(
      'exceeds the size limit',
    );
  });
});
