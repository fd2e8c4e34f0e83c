import type { PackedFact } from '@signalbox/engine';
import type { Evidence, JournalGroup } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import type { Dice } from '../world/streams.ts';

/** A lie told about a clean run of the world; null where this history offers no place for it. */
export interface Mutant {
  readonly name: string;
  readonly caughtBy: string;
  mutate(evidence: Evidence, dice: Dice): Evidence | null;
}

type EventOf<K extends HistoryEvent['kind']> = HistoryEvent & { kind: K };

export function anEvent<K extends HistoryEvent['kind']>(
  from: { readonly evidence: Evidence; readonly dice: Dice },
  kind: K,
  test: (event: EventOf<K>) => boolean = () => true,
): EventOf<K> | null {
  const found = from.evidence.events.filter((event): event is EventOf<K> => {
    return event.kind === kind && test(event as EventOf<K>);
  });
  return any(from.dice, found);
}

export function withEvents(
  evidence: Evidence,
  change: (event: HistoryEvent) => readonly HistoryEvent[],
): Evidence {
  return { ...evidence, events: evidence.events.flatMap(change) };
}

/** The event happens at another time. */
export function movedTo<T extends HistoryEvent>(evidence: Evidence, event: T, t: number): Evidence {
  const others = evidence.events.filter((each) => each !== event);
  const at = others.findIndex((each) => each.t > t);
  const moved = { ...event, t };
  const events = at < 0 ? [...others, moved] : [...others.slice(0, at), moved, ...others.slice(at)];
  return { ...evidence, events };
}

export interface PlacedFact {
  readonly group: JournalGroup;
  readonly packed: PackedFact;
}

export function facts(evidence: Evidence): PlacedFact[] {
  return evidence.journal.flatMap((group) => group.facts.map((packed) => ({ group, packed })));
}

type FactOf<K extends string> = (PackedFact & { kind: 'fact' })['fact'] & { kind: K };

export function taskFacts<K extends string>(
  evidence: Evidence,
  kind: K,
): { group: JournalGroup; packed: PackedFact; fact: FactOf<K> }[] {
  return facts(evidence).flatMap(({ group, packed }) => {
    if (packed.kind !== 'fact' || packed.fact.kind !== kind) return [];
    return [{ group, packed, fact: packed.fact as FactOf<K> }];
  });
}

export function withFacts(
  evidence: Evidence,
  change: (packed: PackedFact, group: JournalGroup) => readonly PackedFact[],
): Evidence {
  const journal = evidence.journal.map((group) => ({
    ...group,
    facts: group.facts.flatMap((packed) => change(packed, group)),
  }));
  return { ...evidence, journal };
}

export function any<T>(dice: Dice, items: readonly T[]): T | null {
  return items[dice.int(items.length)] ?? null;
}
