import { assertNever } from '../model/assert.ts';
import type { ScheduleSpec, SkipReason } from '../model/schedule.ts';
import { jsonOfNumbers, requireWhole as whole } from './require-whole.ts';
import type { ScheduleFact } from './schedule-facts.ts';
import * as make from './schedule-facts.ts';

/** Lines of the packed record about schedules; see `encode-group.ts` for the record. */
export function encodeScheduleLine(
  fact: ScheduleFact,
  writer: { readonly base: number; name(text: string): number },
): string {
  const { base } = writer;
  const of = `${writer.name(fact.tenant)},${writer.name(fact.schedule)},${whole(fact.at - base)}`;
  switch (fact.kind) {
    case 'scheduleSet': {
      const { version, decidedUpTo, spec, until } = fact;
      const rest = until === undefined ? '' : `,${whole(until)}`;
      return `["h1",${of},${whole(version)},${whole(decidedUpTo)},${jsonOfNumbers(spec)}${rest}]`;
    }
    case 'scheduleRemoved':
      return `["j1",${of},${whole(fact.version)}]`;
    case 'windowFired': {
      const { window, planned, run, catchUp, exclusive } = fact;
      const flags = (catchUp ? 1 : 0) + (exclusive ? 2 : 0);
      return `["w1",${of},${whole(window - base)},${whole(planned - window)},${whole(run)},${flags}]`;
    }
    case 'windowsSkipped': {
      const { from, to, count, reason } = fact;
      return `["v1",${of},${whole(from - base)},${whole(to - from)},${count === null ? 'null' : whole(count)},"${reason}"]`;
    }
    case 'windowHeld':
      return `["u1",${of},${whole(fact.window - base)}]`;
    case 'windowMet':
      return `["g1",${of},${whole(fact.window - base)},${whole(fact.run)}]`;
    default:
      return assertNever(fact);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: fields of a line are typed by its code, right below
type Line = [string, ...any[]];

/** Null where the line is about something else. */
export function decodeScheduleLine(
  c: { readonly partition: number; readonly base: number; readonly names: readonly string[] },
  line: Line,
): ScheduleFact | null {
  const { partition, base, names } = c;
  const of = () => ({
    partition,
    tenant: names[line[1]] as string,
    schedule: names[line[2]] as string,
    at: (line[3] as number) + base,
  });
  switch (line[0]) {
    case 'h1':
      return make.scheduleSet({
        ...of(),
        version: line[4],
        decidedUpTo: line[5],
        spec: line[6] as ScheduleSpec,
        ...(line[7] === undefined ? {} : { until: line[7] as number }),
      });
    case 'j1':
      return make.scheduleRemoved({ ...of(), version: line[4] });
    case 'w1': {
      const window = (line[4] as number) + base;
      return make.windowFired({
        ...of(),
        window,
        planned: window + line[5],
        run: line[6],
        catchUp: (line[7] & 1) !== 0,
        exclusive: (line[7] & 2) !== 0,
      });
    }
    case 'v1': {
      const from = (line[4] as number) + base;
      const reason = line[7] as SkipReason;
      return make.windowsSkipped({ ...of(), from, to: from + line[5], count: line[6], reason });
    }
    case 'u1':
      return make.windowHeld({ ...of(), window: line[4] + base });
    case 'g1':
      return make.windowMet({ ...of(), window: line[4] + base, run: line[5] });
    default:
      return null;
  }
}
