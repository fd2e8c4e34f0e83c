import { describe, expect, it } from 'vitest';
import { SentLines } from './sent-lines.ts';

const line = (number: number, more: { task?: number; attempt?: number; atMs?: number } = {}) => ({
  ...{ task: 0, attempt: 1, number, atMs: 10_000 },
  ...more,
});

function sent(...lines: ReturnType<typeof line>[]): SentLines {
  const all = SentLines.parse('');
  for (const each of lines) {
    all.upToMs = Math.max(all.upToMs, each.atMs);
    all.add(each);
  }
  return all;
}

const resumed = (lines: SentLines) => SentLines.parse(lines.format().slice(1));

describe('the lines that were sent', () => {
  it('are known by attempt after a reconnect', () => {
    const again = resumed(sent(line(1), line(2), line(7, { task: 3, attempt: 40 })));
    expect(again.upToMs).toBe(10_000);
    expect([1, 2, 3].map((number) => again.has(line(number)))).toEqual([true, true, false]);
    expect(again.has(line(7, { task: 3, attempt: 40 }))).toBe(true);
    expect(again.has(line(1, { task: 1 }))).toBe(false);
  });

  it('stay before a gap, whose lines may be stored later', () => {
    const again = resumed(sent(line(1), line(3)));
    expect([1, 2, 3].map((number) => again.has(line(number)))).toEqual([true, false, false]);
  });

  it('are left out of the id when they are older than what is sent again anyway', () => {
    const old = sent(line(1), line(2, { task: 1, atMs: 20_000 }));
    expect(old.format()).toBe(`~${(20_000).toString(36)}~1.1.2`);
  });

  it('of the last 32 attempts are in the id', () => {
    const many = Array.from({ length: 50 }, (_, task) => line(1, { task }));
    const again = resumed(sent(...many));
    expect(many.filter((each) => again.has(each))).toEqual(many.slice(-32));
  });

  it('are none where the text cannot be read', () => {
    for (const text of ['', '!~0.1.5', '~', '~~', 'zz~0.1', `1~${'0.1.5,'.repeat(1_000)}`]) {
      expect(SentLines.parse(text).has(line(9))).toBe(false);
    }
    expect(SentLines.parse('').format()).toBe('');
  });
});
