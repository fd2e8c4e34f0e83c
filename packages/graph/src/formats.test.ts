import { describe, expect, it } from 'vitest';
import { folded } from './fold.ts';
import { mermaid } from './mermaid.ts';
import { type BoxState, commonState, foremostState, tally } from './states.ts';
import { svg } from './svg.ts';
import { type Drawn, graphFrom, PLAIN } from './testing/graph-from.ts';
import { textGraph } from './text-graph.ts';

const many = (count: number, of: (i: number) => Drawn): Drawn[] =>
  Array.from({ length: count }, (_, i) => of(i));
const WIDE: Drawn[] = [
  { name: 'extract' },
  ...many(100, (i) => ({ name: `part${i}`, after: ['extract'] })),
  { name: 'join', after: many(100, (i) => ({ name: `part${i}` })).map(({ name }) => name) },
];
const row = (count: number): Drawn[] =>
  many(count, (i) => ({ name: `step${i}`, ...(i > 0 && { after: [`step${i - 1}`] }) }));
const plain = { isAscii: false, style: PLAIN };

describe('folded', () => {
  it('draws tasks that stand in the same place as one, and leaves small graphs alone', () => {
    const graph = graphFrom(WIDE);
    expect(folded(graph, 1_000)).toBe(graph);
    const { boxes, edges } = folded(graph, 40);
    expect(boxes.map(({ name, notes }) => [name, ...notes])).toEqual([
      ['extract'],
      ['part0 … part99', '100 tasks'],
      ['join'],
    ]);
    expect(edges).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('draws tasks in a row as one', () => {
    const { boxes } = folded(graphFrom(row(100_000)), 40);
    expect(boxes.map(({ name, notes }) => [name, ...notes])).toEqual([
      ['step0 … step99999', '100000 tasks in a row'],
    ]);
  });

  it('tells what went wrong first where several are drawn as one', () => {
    const graph = graphFrom(WIDE);
    const boxes = graph.boxes.map((box, i) => ({
      ...box,
      state: i === 7 ? ('FAILED' as const) : ('RUNNING' as const),
    }));
    expect(folded({ ...graph, boxes }, 40).boxes.map(({ state }) => state)).toEqual([
      'RUNNING',
      'FAILED',
      'RUNNING',
    ]);
  });
});

describe('textGraph', () => {
  it('turns and folds a graph until it fits', () => {
    const widest = (lines: string[]) => Math.max(...lines.map((line) => line.length));
    const wide = textGraph(graphFrom(row(6)), { columns: 200, ...plain });
    expect(wide).toHaveLength(3);
    const narrow = textGraph(graphFrom(row(6)), { columns: 40, ...plain });
    expect(narrow).toHaveLength(28);
    expect(widest(narrow)).toBeLessThanOrEqual(40);
    const huge = textGraph(graphFrom(WIDE), { columns: 80, ...plain });
    expect(widest(huge)).toBeLessThanOrEqual(80);
    expect(huge.join('\n')).toContain('part0 … part99');
  });

  it('lists the layers where no picture fits', () => {
    expect(textGraph(graphFrom(WIDE), { columns: 12, ...plain })).toEqual([
      '1. 1 task: …',
      '2. 100 task…',
      '3. 1 task: …',
    ]);
  });
});

describe('mermaid', () => {
  it('gives each kind its shape, and writes nothing that it would read as its own', () => {
    const tasks: Drawn[] = [
      { name: 'list' },
      { name: 'each', after: ['list'], kind: 'fanOut', notes: ['for each of list'] },
      {
        name: 'ask',
        after: ['each'],
        kind: 'approval',
        notes: ['approval', 'if input.a["x"] > 1'],
      },
      { name: 'wait', after: ['ask'], kind: 'sleep', notes: ['sleep for 1.5 s'] },
      { name: 'paid', after: ['ask'], kind: 'event', notes: ['event payment'] },
      { name: 'other', after: ['wait', 'paid'], kind: 'run', notes: ['run of audit'] },
      { name: 'grow', after: ['other'], kind: 'dynamic', notes: ['adds tasks'] },
    ];
    expect(mermaid(graphFrom(tasks))).toEqual([
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

describe('svg', () => {
  it('is one picture with a title, a description, and a light and a dark side', () => {
    const tasks: Drawn[] = [
      { name: 'a', notes: ['if "<script>" != input.x && 1 < 2'] },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['a', 'b'] },
    ];
    const picture = svg(graphFrom(tasks), { title: 'The tasks of "x" & y' });
    expect(picture).toContain('<title id="t">The tasks of &quot;x&quot; &amp; y</title>');
    expect(picture).toContain('<desc id="d">3 tasks: a; b after a; c after a, b.</desc>');
    expect(picture).toContain('prefers-color-scheme:dark');
    expect(picture.match(/class="edge"/g)).toHaveLength(3);
    expect(picture.match(/<g class="work">/g)).toHaveLength(3);
    expect(picture).not.toContain('<script');
    expect(isWellFormed(picture)).toBe(true);
  });
});

/** Every element that is opened is closed, in order; attributes are quoted. */
function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  const tags = xml.matchAll(/<(\/?)([A-Za-z]+)((?:\s+[A-Za-z:-]+="[^"<]*")*)\s*(\/?)>/g);
  let read = 0;
  for (const [text, isEnd, name, , isEmpty] of tags) {
    read += text.length;
    if (isEnd === '/' && open.pop() !== name) return false;
    if (isEnd === '' && isEmpty === '') open.push(name as string);
  }
  const rest = xml.replaceAll(/<\/?[A-Za-z]+(?:\s+[A-Za-z:-]+="[^"<]*")*\s*\/?>/g, '');
  return open.length === 0 && read + rest.length === xml.length && !rest.includes('<');
}

describe('tally', () => {
  it('counts what succeeded, and what else there is to know', () => {
    const states: BoxState[] = [
      ...Array<BoxState>(93).fill('SUCCEEDED'),
      'FAILED',
      'TIMED_OUT',
      'RUNNING',
    ];
    expect(tally([...states, 'QUEUED', 'QUEUED', 'PENDING', 'PENDING'])).toBe(
      '93 of 100, 2 failed, 1 running',
    );
  });
});

describe('states of several tasks', () => {
  it('are active as long as any task is, then the one that matters most', () => {
    expect(commonState(['FAILED', 'QUEUED', 'RUNNING', 'SUCCEEDED'])).toBe('RUNNING');
    expect(commonState(['SUCCEEDED', 'SKIPPED', 'TIMED_OUT'])).toBe('TIMED_OUT');
    expect(commonState([])).toBeUndefined();
  });

  it('of a newer node are ranked last, and kept where there are no others', () => {
    const newer = 'FROZEN' as BoxState;
    expect(foremostState([newer, 'SKIPPED'])).toBe('SKIPPED');
    expect(foremostState([newer])).toBe(newer);
    const box = { name: 'a', state: newer };
    expect(mermaid(graphFrom([box]))).toEqual(['flowchart LR', '  t0["a"]:::FROZEN']);
    expect(svg(graphFrom([box]), { title: 'a' })).toContain('class="work FROZEN"');
  });
});
