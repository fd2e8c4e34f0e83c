import { describe, expect, it } from 'vitest';
import { NO_PORTS } from '../children/ports.ts';
import { HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';
import type { WindowInput } from './ports.ts';

const windowInput: WindowInput = (template, { at, schedule, kind }) =>
  template.includes('fail')
    ? { error: 'input.day: no such day' }
    : { text: template.replace('${window}', `${schedule} ${at - NOON} ${kind}`) };

const scheduled = () => new Scheduled({ graphPorts: { ...NO_PORTS, windowInput } });
const inputs = (h: Scheduled) =>
  h.factsOf('runSubmitted').map(({ run }) => new TextDecoder().decode(run.input ?? undefined));

describe('the input of a window', () => {
  it('is made of the template with the window, also of one that is caught up', () => {
    const h = scheduled();
    h.endsRuns = false;
    h.save({ input: '"${window}"' });
    h.advance(HOUR + MINUTE);
    h.away(3 * HOUR + 10 * MINUTE);
    expect(inputs(h)).toEqual([
      '"nightly 0 scheduled"',
      `"nightly ${HOUR} scheduled"`,
      ...[2, 3, 4].map((hours) => `"nightly ${hours * HOUR} catchUp"`),
    ]);
  });

  it('is not asked for where nothing in it is a template', () => {
    const asked: string[] = [];
    const h = new Scheduled({
      graphPorts: { ...NO_PORTS, windowInput: (text) => ({ text: `${asked.push(text)}` }) },
    });
    h.endsRuns = false;
    h.save({ input: '{"a":"fail"}' });
    h.advance(2 * MINUTE);
    expect(inputs(h)).toEqual(['{"a":"fail"}']);
    expect(asked).toEqual([]);
  });

  it('that cannot be made skips the window with a reason, and somebody is told why', () => {
    const h = scheduled();
    h.save({ input: '"${fail}"' });
    h.save({ name: 'other' });
    h.advance(2 * HOUR + 2 * MINUTE);
    expect(h.fired.every(({ schedule }) => schedule === 'other')).toBe(true);
    expect(h.fired).toHaveLength(3);
    expect(h.schedule().skips).toMatchObject([{ from: NOON, count: 3, reason: 'input_failed' }]);
    expect(h.effectsOf('alert')).toContainEqual({
      kind: 'alert',
      alert: 'windowInputFailed',
      about: {
        ...{ tenant: 'acme', job: expect.any(String), schedule: 'nightly', window: NOON },
        ...{ since: expect.any(Number), reason: 'input.day: no such day' },
      },
    });
    h.save({ input: '"${window}"' });
    h.advance(HOUR);
    expect(h.fired.filter(({ schedule }) => schedule === 'nightly')).toHaveLength(1);
  });

  it('a window that was held is skipped too, and the next one is not held up by it', () => {
    const h = scheduled();
    h.endsRuns = false;
    h.save({ input: '"${window}"', overlap: 'queueAll' });
    h.advance(2 * MINUTE);
    h.save({ input: '"${fail}"' });
    h.advance(HOUR);
    expect(h.schedule().held).toEqual([NOON + HOUR]);
    h.save({ input: '"${window}"' });
    h.advance(HOUR);
    h.endRuns();
    h.advance(MINUTE);
    expect(h.schedule().skips).toMatchObject([{ from: NOON + HOUR, reason: 'input_failed' }]);
    expect(h.fired.map(({ window }) => window)).toEqual([NOON, NOON + 2 * HOUR]);
  });
});
