import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { entryKey } from '../model/reserved-key.ts';
import { anyFact, FACTS, PARTITION } from '../testing/fact-arbitraries.ts';
import { decodeGroup, type PackedFact } from './decode-group.ts';
import { encodeGroup } from './encode-group.ts';
import type { Fact, SubmittedRun } from './facts.ts';
import { isScheduleFact } from './schedule-facts.ts';

const groupTime = fc.integer({ min: 0, max: 4_000_000_000_000 });

/** What the packed record tells of a fact: submissions and ends keep their bodies in rows. */
function packed(fact: Fact): PackedFact {
  const pointer = (run: SubmittedRun) => ({ seq: run.seq, ms: run.ms, tenant: run.spec.tenant });
  switch (fact.kind) {
    case 'runSubmitted':
      return {
        kind: 'submittedAt',
        run: pointer(fact.run),
        lane: fact.parked?.lane ?? null,
      };
    case 'runsPagedIn': {
      const { lane, cursor, parkedLeft } = fact;
      return { kind: 'pagedInAt', lane, cursor, parkedLeft, runs: fact.runs.map(pointer) };
    }
    case 'runEnded':
      return { kind: 'endedAt', seq: fact.seq, at: fact.at, state: fact.state };
    default:
      return isScheduleFact(fact) ? { kind: 'scheduleFact', fact } : { kind: 'fact', fact };
  }
}

interface Place {
  readonly in: Record<string, unknown>;
  readonly name: string;
}

/** Where the record of a fact has numbers; bytes, and what other rows keep, are left out. */
function numbersIn(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return places;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'spec' && 'seq' in value) continue;
    if (name === 'partition' || name === 'last' || name === 'inputBytes') continue;
    if (typeof member === 'number') places.push({ in: value as Record<string, unknown>, name });
    else numbersIn(member, places);
  }
  return places;
}

describe('a group of facts', () => {
  it.each(Object.entries(FACTS))('is read back as it was written: %s', (_kind, arbitrary) => {
    assertProperty(
      fc.property(fc.array(arbitrary, { maxLength: 5 }), groupTime, (facts, at) => {
        const { body, factCount } = encodeGroup({ partition: PARTITION, at, facts });
        expect(decodeGroup(PARTITION, body)).toEqual(facts.map(packed));
        expect(factCount).toBe(facts.length);
      }),
    );
  });

  it('is read back whatever it is mixed of, in order, wherever its bytes lie', () => {
    assertProperty(
      fc.property(fc.array(anyFact, { maxLength: 30 }), groupTime, (facts, at) => {
        const { body } = encodeGroup({ partition: PARTITION, at, facts });
        const elsewhere = new Uint8Array(body.length + 11).fill(0xff);
        elsewhere.set(body, 7);
        const view = elsewhere.subarray(7, 7 + body.length);
        expect(decodeGroup(PARTITION, view)).toEqual(facts.map(packed));
      }),
    );
  });

  it('never holds a number that cannot be read back: it is refused before it is stored', () => {
    const odd = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    assertProperty(
      fc.property(anyFact, fc.nat(), odd, (fact, which, number) => {
        const copy = structuredClone(fact) as Fact;
        const places = numbersIn(copy);
        const place = places[which % places.length];
        if (place === undefined) return;
        place.in[place.name] = number;
        let body: Uint8Array;
        try {
          ({ body } = encodeGroup({ partition: PARTITION, at: 1_000, facts: [copy] }));
        } catch (error) {
          expect(String(error)).toContain(`the fact ${fact.kind} cannot be stored`);
          return;
        }
        // Not in the record: it is read back as the fact was.
        expect(decodeGroup(PARTITION, body)).toEqual([packed(fact)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('says which fact of a group is not JSON', () => {
    const text = new TextEncoder().encode('[1,0,[],[]]\n["x1",1,0,0,1,Infinity]');
    const body = new Uint8Array(4 + text.length);
    new DataView(body.buffer).setUint32(0, text.length);
    body.set(text, 4);
    expect(() => decodeGroup(PARTITION, body)).toThrow(
      'fact 1 is not JSON: ["x1",1,0,0,1,Infinity]',
    );
  });

  it('is nothing where it has no bytes: the mark of a new owner', () => {
    expect(decodeGroup(PARTITION, new Uint8Array(0))).toEqual([]);
  });

  it('has a row for every submission, end and parked run', () => {
    assertProperty(
      fc.property(fc.array(anyFact, { maxLength: 20 }), groupTime, (facts, at) => {
        const group = encodeGroup({ partition: PARTITION, at, facts });
        const submitted = facts.filter((fact) => fact.kind === 'runSubmitted');
        expect(group.runs).toEqual(
          submitted.map(({ run }) => ({
            id: { ms: run.ms, partition: PARTITION, seq: run.seq },
            tenant: run.spec.tenant,
            job: run.spec.job,
            jobVersion: run.spec.version,
            class: run.class,
            head: Object.keys(run.head).length === 0 ? '' : JSON.stringify(run.head),
            input: run.input,
            inputBytes: run.inputBytes,
            keys: [
              ...(run.head.key === undefined ? [] : [run.head.key]),
              ...(run.head.inbox === undefined ? [] : [entryKey(run.head.inbox)]),
            ],
          })),
        );
        expect(group.parked.map(({ lane, sort, id }) => [lane, sort, id.seq])).toEqual(
          submitted.flatMap(({ run, parked }) =>
            parked === null ? [] : [[parked.lane, parked.sort, run.seq]],
          ),
        );
        const ended = facts.filter((fact) => fact.kind === 'runEnded');
        expect(group.ends).toEqual(
          ended.map(({ seq, ms, tenant, state, at: endedAtMs, detail, output }) => {
            const id = { ms, partition: PARTITION, seq };
            return { id, tenant, state, endedAtMs, detail, output };
          }),
        );
      }),
    );
  });

  it('is refused where its format or a kind is not known, instead of being guessed at', () => {
    const future = textGroup('[2,0,[],[]]');
    expect(() => decodeGroup(PARTITION, future)).toThrow('unknown group format 2');
    const unknown = textGroup('[1,0,[],[]]\n["z9",1]');
    expect(() => decodeGroup(PARTITION, unknown)).toThrow('unknown fact kind "z9"');
  });
});

function textGroup(text: string): Uint8Array {
  const bytes = new Uint8Array(4 + text.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(Buffer.from(text), 4);
  return bytes;
}
