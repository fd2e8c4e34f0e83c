import { describe, expect, it } from 'vitest';
import { formatRunId } from './run-id.ts';
import { RunIdWriter } from './run-id-writer.ts';

describe('ids of a batch', () => {
  it('are written as each alone would be', () => {
    const writer = new RunIdWriter();
    const seqs = [0, 1, 255, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1, 2 ** 48, 2 ** 48 + 1, 5];
    const ids = [1, 2].flatMap((partition) =>
      [1_800_000_000_000, 1_800_000_000_001].flatMap((ms) =>
        seqs.map((seq) => ({ ms, partition, seq })),
      ),
    );
    for (const id of ids) expect(writer.write(id)).toBe(formatRunId(id));
  });
});
