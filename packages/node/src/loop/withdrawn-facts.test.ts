import { type Fact, jobSpec, type SubmittedRun } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { Group } from './group.ts';
import { type Reply, replyTo } from './reply.ts';
import { TakenKeys } from './taken-keys.ts';
import { WithdrawnRuns } from './withdrawn-runs.ts';

const spec = jobSpec({ tenant: 'acme', job: 'job', version: 1, definition: { tasks: [{}] } });

describe('a run that is withdrawn', () => {
  it('takes the window with it that its event met, and leaves that of another', () => {
    const submitted = (seq: number): Fact => {
      const of = { seq, ms: 1, spec, head: {}, class: 1, input: null, inputBytes: 0 } as const;
      return { kind: 'runSubmitted', partition: 0, run: of satisfies SubmittedRun, parked: null };
    };
    const met = (run: number): Fact => ({
      kind: 'windowMet',
      partition: 0,
      tenant: 'acme',
      schedule: 'files',
      at: 1,
      window: 10 * run,
      run,
    });
    const group = new Group(1);
    group.facts.set(0, [submitted(1), met(1), submitted(2), met(2)]);
    const answers = [{ kind: 'accepted', partition: 0, seq: 1, ms: 1 }] as const;
    const reply: Reply = { partition: 0, answers, resolve: () => {}, writes: null, mail: null };
    group.drop(WithdrawnRuns.of([reply], group.facts));
    expect(group.facts.get(0)).toEqual([submitted(2), met(2)]);
  });
});

describe('an entry that turned out to be a run', () => {
  it.each([
    ['claims its key for the run', [], ['k']],
    ['claims nothing that the store has said already whose it is', ['k'], []],
  ] as const)('%s', (_what, refused, claimed) => {
    const run = { partition: 0, seq: 1, ms: 1 };
    const keys = refused.map((key) => ({ tenant: 'acme', key, run }));
    const mail = {
      commands: [
        {
          kind: 'submit',
          partition: 0,
          spec,
          head: { key: 'k', inbox: 'e' },
          input: null,
        } as const,
      ],
      resolve: () => {},
      partition: 0,
      inboxEntry: 'e',
      taken: new TakenKeys({ keys, reserved: [] }),
    };
    const reply = replyTo(mail, [{ kind: 'duplicate', ...run }], { provisionalGroup: () => null });
    expect(reply.writes?.claims.map(({ key }) => key)).toEqual(claimed);
    expect(reply.writes).toMatchObject({ inboxTaken: 'e', alias: { run } });
  });
});
