import { assertNever } from '../model/assert.ts';
import type { TaskState } from '../model/states.ts';
import type { GraphFact, TakenOver } from './graph-facts.ts';
import * as make from './graph-facts.ts';
import { jsonOfNumbers, requireWhole as whole } from './require-whole.ts';

/** Lines of the packed record about graphs; see `encode-group.ts` for the record. */
export function encodeGraphLine(
  fact: GraphFact,
  writer: { readonly base: number; payload(bytes: Uint8Array): number },
): string {
  const at = whole(fact.at - writer.base);
  const seq = whole(fact.seq);
  switch (fact.kind) {
    case 'runPaused':
      return JSON.stringify(['gp1', seq, at, fact.by, fact.why, fact.detail]);
    case 'runResumed':
      // The last one is left out where it is as it always was: nearly everywhere.
      return JSON.stringify([
        ...['gr1', seq, at, fact.by, whole(fact.fanOutMax)],
        ...(fact.state === undefined ? [] : [fact.state]),
      ]);
    case 'taskFannedOut':
      return JSON.stringify(['gf1', seq, at, whole(fact.task), whole(fact.count)]);
    case 'tasksAdded':
      return jsonOfNumbers(['ga1', seq, at, fact.task, fact.tasks, fact.edges]);
    case 'tasksTakenOver': {
      const tasks = fact.tasks.map(({ task, state, error, output, failedBy }) => [
        whole(task),
        state,
        error,
        output && writer.payload(output),
        ...(failedBy === undefined ? [] : [failedBy]),
      ]);
      return JSON.stringify(['gt1', seq, at, tasks]);
    }
    case 'taskWaiting':
      return JSON.stringify(['gw1', seq, at, whole(fact.task), whole(fact.until)]);
    case 'nestedStarted':
      return JSON.stringify(['gs1', seq, at, whole(fact.task), fact.run]);
    case 'eventKept': {
      const { key, type, event, suits } = fact;
      return JSON.stringify(['ge1', seq, at, key, type, writer.payload(event), suits.map(whole)]);
    }
    case 'eventTaken':
      return JSON.stringify(['gh1', seq, at, whole(fact.task), fact.key]);
    case 'notificationDue':
      return jsonOfNumbers(['gn1', seq, at, fact.notification]);
    case 'notificationDone':
      return JSON.stringify([
        ...['gd1', seq, at, fact.id, fact.delivered ? 1 : 0],
        ...(fact.tenant === undefined ? [] : [fact.tenant]),
      ]);
    default:
      return assertNever(fact);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: fields of a line are typed by its code, right below
type Line = [string, ...any[]];

/** Null where the line is about something else. */
export function decodeGraphLine(
  c: {
    readonly partition: number;
    readonly base: number;
    readonly payloads: readonly Uint8Array[];
  },
  line: Line,
): GraphFact | null {
  const of = { partition: c.partition, seq: line[1] as number, at: (line[2] as number) + c.base };
  switch (line[0]) {
    case 'gp1':
      return make.runPaused({ ...of, by: line[3], why: line[4], detail: line[5] });
    case 'gr1':
      return make.runResumed({
        ...{ ...of, by: line[3], fanOutMax: line[4] },
        ...(line[5] === undefined ? {} : { state: line[5] }),
      });
    case 'gf1':
      return make.taskFannedOut({ ...of, task: line[3], count: line[4] });
    case 'ga1':
      return make.tasksAdded({ ...of, task: line[3], tasks: line[4], edges: line[5] });
    case 'gt1':
      return make.tasksTakenOver({
        ...of,
        tasks: (line[3] as [number, TaskState, string | null, number | null, string?][]).map(
          ([task, state, error, output, failedBy]): TakenOver => ({
            task,
            state,
            error,
            output: output === null ? null : (c.payloads[output] as Uint8Array),
            ...(failedBy === undefined ? {} : { failedBy }),
          }),
        ),
      });
    case 'gw1':
      return make.taskWaiting({ ...of, task: line[3], until: line[4] });
    case 'gs1':
      return make.nestedStarted({ ...of, task: line[3], run: line[4] });
    case 'ge1': {
      const event = c.payloads[line[5] as number] as Uint8Array;
      return make.eventKept({ ...of, key: line[3], type: line[4], event, suits: line[6] });
    }
    case 'gh1':
      return make.eventTaken({ ...of, task: line[3], key: line[4] });
    case 'gn1':
      return make.notificationDue({ ...of, notification: line[3] });
    case 'gd1':
      return make.notificationDone({
        ...{ ...of, id: line[3], delivered: line[4] === 1 },
        ...(line[5] === undefined ? {} : { tenant: line[5] }),
      });
    default:
      return null;
  }
}
