import { describe, expect, it } from 'vitest';
import type { Command } from '../commands.ts';
import { jobSpec } from '../model/spec.ts';
import { Recorded } from '../testing/recorded.ts';

describe('runs that were answered together with a key which the store may refuse', () => {
  it.each([
    ['a job that excludes overlap', 'skip', {}, true],
    ['a unique value', 'allow', { unique: 'u' }, true],
    ['neither', 'allow', {}, false],
  ] as const)('TRG-27 are provisional where others are compared with them: %s', (...row) => {
    const [, overlap, head, isProvisional] = row;
    const h = new Recorded();
    const definition = { ...(overlap === 'skip' && { overlap }), tasks: [{}] };
    const spec = jobSpec({ tenant: 'acme', job: 'mail', version: 1, definition });
    const command: Command = { kind: 'submit', partition: 0, spec, head, input: null };
    const answer = h.apply(command);
    h.engine.refusableTogether([command], [answer]);
    expect(h.engine.core.isProvisional(h.run(1))).toBe(isProvisional);
  });
});
