import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as facts from '../facts/facts.ts';
import * as graphFacts from '../facts/graph-facts.ts';
import { REASONS } from '../facts/reasons.ts';
import * as scheduleFacts from '../facts/schedule-facts.ts';
import { FACTS } from '../testing/fact-arbitraries.ts';
import { markdownTable } from '../testing/markdown-table.ts';
import {
  isTerminalRun,
  isTerminalTask,
  RUN_MOVES,
  RUN_STATES,
  TASK_MOVES,
  TASK_STATES,
} from './states.ts';

const page = readFileSync(new URL('../../../../docs/lifecycle.md', import.meta.url), 'utf8');
const column = (heading: string, index: number) =>
  markdownTable(page, heading).map((row) => row[index] as string);

function edges(moves: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(moves).flatMap(([from, tos]) => tos.map((to) => `${from} to ${to}`));
}

function publishedEdges(heading: string): string[] {
  return markdownTable(page, heading).map(([from, to]) => `${from} to ${to}`);
}

describe('the page about the life of a task', () => {
  it('DUR-01 lists the states of tasks and runs, and no others', () => {
    expect(column('Task states', 0)).toEqual([...TASK_STATES]);
    expect(column('Run states', 0)).toEqual([...RUN_STATES]);
    expect(TASK_STATES).not.toContain('UNKNOWN');
  });

  it('DUR-01 lists the moves of tasks and runs, and no others', () => {
    expect(publishedEdges('Task moves').sort()).toEqual(edges(TASK_MOVES).sort());
    expect(publishedEdges('Run moves').sort()).toEqual(edges(RUN_MOVES).sort());
  });

  it('DUR-01 marks as terminal what nothing leaves', () => {
    const terminal = markdownTable(page, 'Task states')
      .filter(([, , mover]) => mover === 'terminal')
      .map(([state]) => state);
    expect(terminal).toEqual(TASK_STATES.filter(isTerminalTask));
    expect(RUN_STATES.filter(isTerminalRun)).toEqual([
      'SUCCEEDED',
      'PARTIAL',
      'FAILED',
      'CANCELLED',
    ]);
  });

  it('says for every move when it happens', () => {
    for (const heading of ['Task moves', 'Run moves']) {
      expect(column(heading, 2).filter((when) => when === '')).toEqual([]);
    }
  });

  it('lists the reason codes with their meaning', () => {
    const published = markdownTable(page, 'Reason codes').map(([code, meaning]) => [code, meaning]);
    expect(published).toEqual(Object.entries(REASONS));
  });

  it('lists the facts, and there is a constructor for each of them', () => {
    const published = column('Facts', 0);
    const others = [...Object.keys(scheduleFacts), ...Object.keys(graphFacts)];
    const made = [...Object.keys(facts), ...others.filter(isConstructor)];
    expect([...published].sort()).toEqual(made.sort());
    expect([...published].sort()).toEqual(Object.keys(FACTS).sort());
    expect(column('Facts', 1).filter((meaning) => meaning === '')).toEqual([]);
  });

  it('draws every state, and no move that there is not', () => {
    const drawn = [...page.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, a, b]) => `${a} to ${b}`);
    const known = new Set(edges(TASK_MOVES));
    expect(drawn.filter((edge) => !known.has(edge))).toEqual([]);
    for (const state of TASK_STATES) expect(drawn.join()).toContain(state);
  });
});

function isConstructor(name: string): boolean {
  return !name.startsWith('is');
}
