import type { Class } from '../model/classes.ts';
import type { LaneCursor } from '../model/lane.ts';
import type { RunState } from '../model/states.ts';
import { GROUP_FORMAT } from './encode-group.ts';
import type { RunFact } from './facts.ts';
import * as make from './facts.ts';
import { decodeGraphLine } from './graph-lines.ts';
import type { Reason } from './reasons.ts';
import type { ScheduleFact } from './schedule-facts.ts';
import { decodeScheduleLine } from './schedule-lines.ts';
import { decodeText } from './text.ts';

/** Where the row of a run is: enough to ask the store for it. */
export interface RunPointer {
  readonly seq: number;
  readonly ms: number;
  readonly tenant: string;
}

/**
 * A fact as the packed record tells it. Submissions and ends keep their body in rows, so here they
 * are pointers; `recover/` joins them with the rows of runs that are still live.
 */
export type PackedFact =
  | {
      readonly kind: 'submittedAt';
      readonly run: RunPointer;
      readonly lane: string | null;
    }
  | {
      readonly kind: 'pagedInAt';
      readonly lane: string;
      readonly cursor: LaneCursor | null;
      readonly parkedLeft: number;
      readonly runs: readonly RunPointer[];
    }
  | {
      readonly kind: 'endedAt';
      readonly seq: number;
      readonly at: number;
      readonly state: RunState;
    }
  | {
      readonly kind: 'fact';
      readonly fact: Exclude<RunFact, { kind: 'runSubmitted' | 'runsPagedIn' | 'runEnded' }>;
    }
  | { readonly kind: 'scheduleFact'; readonly fact: ScheduleFact };

/** Reads a packed record of any version that was ever written. */
export function decodeGroup(partition: number, body: Uint8Array): PackedFact[] {
  if (body.length === 0) return [];
  const textLength = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(0);
  const [first, ...lines] = decodeText(body.subarray(4, 4 + textLength)).split('\n');
  const [format, base, names, lengths] = JSON.parse(first as string) as [
    number,
    number,
    string[],
    number[],
  ];
  if (format !== GROUP_FORMAT) throw new RangeError(`unknown group format ${format}`);
  const payloads = slicePayloads(body, 4 + textLength, lengths);
  const context = { partition, base, names, payloads };
  return lines.map((line, i) => decodeLine(context, parseLine(line, i)));
}

function parseLine(line: string, index: number): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    throw new RangeError(`fact ${index + 1} is not JSON: ${line.slice(0, 120)}`);
  }
}

function slicePayloads(body: Uint8Array, start: number, lengths: readonly number[]): Uint8Array[] {
  let end = start;
  return lengths.map((length) => {
    end += length;
    return body.subarray(end - length, end);
  });
}

interface Context {
  readonly partition: number;
  readonly base: number;
  readonly names: readonly string[];
  readonly payloads: readonly Uint8Array[];
}

// biome-ignore lint/suspicious/noExplicitAny: fields of a line are typed by its code, right below
type Line = [string, ...any[]];

function decodeLine(c: Context, line: Line): PackedFact {
  const code = line[0];
  switch (code) {
    case 's1':
      return {
        kind: 'submittedAt',
        run: { seq: line[1], ms: line[2] + c.base, tenant: c.names[line[3]] as string },
        lane: line[4] === undefined ? null : (c.names[line[4]] as string),
      };
    case 'p1':
      return {
        kind: 'pagedInAt',
        lane: c.names[line[1]] as string,
        cursor: line[2] && { sort: line[2][0], ms: line[2][1], seq: line[2][2] },
        parkedLeft: line[3],
        runs: (line[4] as [number, number, number][]).map(([seq, ms, tenant]) => ({
          seq,
          ms: ms + c.base,
          tenant: c.names[tenant] as string,
        })),
      };
    case 'e1':
      return { kind: 'endedAt', seq: line[1], at: line[2] + c.base, state: line[3] };
    default: {
      const fact = decodeScheduleLine(c, line);
      if (fact !== null) return { kind: 'scheduleFact', fact };
      return { kind: 'fact', fact: decodeGraphLine(c, line) ?? decodeFact(c, line) };
    }
  }
}

function decodeFact(c: Context, line: Line): (PackedFact & { kind: 'fact' })['fact'] {
  const partition = c.partition;
  const of = {
    partition,
    seq: line[1] as number,
    task: line[2] as number,
    at: line[3] + c.base,
    attempt: line[4] as number,
  };
  switch (line[0]) {
    case 'a1':
      return make.taskAssigned({
        ...of,
        worker: c.names[line[5]] as string,
        token: line[6],
        score: line[7],
      });
    case 'b1':
      return make.taskStarted(of);
    case 'k1':
      return make.taskCheckpointed({ ...of, state: c.payloads[line[5]] as Uint8Array });
    case 'x1':
      return make.taskExtended({ ...of, hardAt: line[5] + c.base });
    case 'o1':
      return make.taskSucceeded({
        ...of,
        output: line[5] === null ? null : (c.payloads[line[5]] as Uint8Array),
      });
    case 'r1':
      return make.taskRetryAt({
        ...of,
        reason: line[5] as Reason,
        error: line[6],
        dueAt: line[7] + c.base,
        memoryMb: line[8],
      });
    case 'q1':
      return make.taskRequeued({ ...of, reason: line[5] as Reason });
    case 'f1':
      return make.taskFailed({ ...of, reason: line[5] as Reason, error: line[6] });
    case 't1':
      return make.taskTimedOut({ ...of, reason: line[5] as Reason, error: line[6] });
    case 'n1':
      return make.taskQuarantined({ ...of, reason: line[5] as Reason, error: line[6] });
    case 'd1':
      return make.taskCancelled({ ...of, reason: line[5] as Reason });
    case 'i1':
      return make.taskSkipped({ ...of, reason: line[5] as Reason });
    case 'c1':
      return make.runCancelRequested({
        partition,
        seq: line[1],
        at: line[2] + c.base,
        by: line[3],
        reason: line[4],
      });
    case 'l1':
      return make.runClassChanged({
        partition,
        seq: line[1],
        at: line[2] + c.base,
        class: line[3] as Class,
        by: line[4],
        reason: line[5],
      });
    default:
      throw new RangeError(`unknown fact kind ${JSON.stringify(line[0])}`);
  }
}
