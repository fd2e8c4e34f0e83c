import type { RunView, TaskView } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { outputOf } from './ended-run.ts';
import { RunFailedError, SignalboxError } from './errors.ts';
import { ofSubmission } from './of-submission.ts';

function taskView(name: string, state: TaskView['state'], outcomes: readonly string[]): TaskView {
  const attempts = outcomes.map((outcome, i) => ({
    id: `r:${name}:${i + 1}`,
    number: i + 1,
    worker: 'w',
    assignedAt: null,
    startedAt: null,
    endedAt: null,
    outcome,
  }));
  const error = state === 'FAILED' ? 'boom' : null;
  return { id: `r:${name}`, name, state, error, progress: null, runAt: null, attempts };
}

function runView(state: RunView['state'], tasks: TaskView[]): RunView {
  const at = '2026-01-01T00:00:00.000Z';
  const head = { id: 'r', job: 'j', jobVersion: 1, priority: 'P1', submittedAt: at } as const;
  return { ...head, state, endedAt: at, tasks };
}

describe('SignalboxError', () => {
  it('names the field in its message, once', () => {
    const of = (message: string) => new SignalboxError('invalid', message, { field: 'a[0].b' });
    expect(of('must be >= 1').message).toBe('a[0].b: must be >= 1');
    expect(of('a[0].b must be >= 1').message).toBe('a[0].b must be >= 1');
  });

  it('of a submission names the field as the caller wrote it', () => {
    const field = 'shared.priority';
    const error = new SignalboxError('invalid', 'must be one of "P0", "P1"', { field });
    expect(ofSubmission(error, 1).message).toBe('priority: must be one of "P0", "P1"');
  });
});

describe('RunFailedError', () => {
  it('names the task that is to blame, not those that fell with it', () => {
    const tasks = [
      taskView('a', 'CANCELLED', []),
      taskView('b', 'FAILED', ['transient', 'permanent']),
      taskView('c', 'SKIPPED', []),
    ];
    const error = new RunFailedError(runView('FAILED', tasks));
    expect(error).toMatchObject({ task: 'b', error: 'boom', errorClass: 'permanent', attempts: 2 });
    expect(error.message).toBe('run r of j failed in task b after 2 attempts: boom');
  });

  it('tells a cancelled run, also one that had not begun', () => {
    const error = new RunFailedError(runView('CANCELLED', [taskView('main', 'CANCELLED', [])]));
    expect(error).toMatchObject({ task: 'main', errorClass: 'cancelled', attempts: 0 });
    expect(error.message).toBe('run r of j was cancelled');
    expect(new RunFailedError(runView('CANCELLED', [])).task).toBeUndefined();
  });
});

describe('SignalboxError', () => {
  it('has the status of its code', () => {
    expect(new SignalboxError('job_paused', 'x').status).toBe(409);
    expect(new SignalboxError('unreachable', 'x').status).toBe(0);
  });
});

describe('an output', () => {
  it('is JSON, else text, else bytes, else nothing', () => {
    const encode = (text: string) => new TextEncoder().encode(text);
    expect(outputOf(encode('{"a":1}'))).toEqual({ a: 1 });
    expect(outputOf(encode('hello\n'))).toBe('hello\n');
    expect(outputOf(new Uint8Array([0xff, 0xfe]))).toEqual(new Uint8Array([0xff, 0xfe]));
    expect(outputOf(new Uint8Array())).toBeUndefined();
  });
});
