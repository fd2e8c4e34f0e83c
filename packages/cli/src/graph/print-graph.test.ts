import { mermaid } from '@signalbox/graph';
import type { TaskDefinition } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { graphOf } from './graph-of.ts';
import { isAsciiOnly } from './print-graph.ts';

describe('graphOf', () => {
  it('gives each kind of task its kind of box and its notes', () => {
    const tasks: TaskDefinition[] = [
      { name: 'list' },
      { name: 'each', after: ['list'], fanOut: { from: 'list' } },
      { name: 'ask', after: ['each'], approval: {}, when: 'input.a["x"] > 1' },
      { name: 'wait', after: ['ask'], sleep: { for: 1_500 } },
      { name: 'paid', after: ['ask'], event: { type: 'payment' } },
      { name: 'other', after: ['wait', 'paid'], run: { job: 'audit' } },
      { name: 'grow', after: ['other'], dynamic: true },
    ];
    expect(mermaid(graphOf({ tasks }))).toEqual([
      'flowchart LR',
      '  t0["list"]',
      '  t1[/"each<br/>for each of list"/]',
      '  t2{{"ask<br/>approval<br/>if input.a#91;#34;x#34;#93; #62; 1"}}',
      '  t3(["wait<br/>sleep for 1.5 s"])',
      '  t4>"paid<br/>event payment"]',
      '  t5[["other<br/>run of audit"]]',
      '  t6[\\"grow<br/>adds tasks"\\]',
      '  t0 --> t1',
      '  t1 --> t2',
      '  t2 --> t3',
      '  t2 --> t4',
      '  t3 --> t5',
      '  t4 --> t5',
      '  t5 --> t6',
    ]);
  });
});

describe('isAsciiOnly', () => {
  it.each([
    [{}, false],
    [{ LANG: 'de_DE.UTF-8' }, false],
    [{ LANG: 'C' }, true],
    [{ LANG: 'C', LC_ALL: 'C.utf8' }, false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, true],
  ])('reads the locale: %j', (environment, isAscii) => {
    expect(isAsciiOnly(environment)).toBe(isAscii);
  });
});
