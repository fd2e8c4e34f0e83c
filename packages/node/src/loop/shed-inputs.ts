import { type Engine, type Fact, PLAIN } from '@signalbox/engine';

/**
 * Lets go of inputs that have just become durable, where memory holds more of them than it should: runs
 * with a unique value are never parked, and a short queue is not either, however large its inputs. The
 * input of a run that waits for a worker is read again when it is assigned, as after a take-over. Tasks
 * of graphs keep theirs: conditions and nested runs read it at any time.
 */
export function shedInputs(engine: Engine, partition: number, facts: readonly Fact[]): void {
  const book = engine.core.books.get(partition);
  const { inputBytesMax } = engine.core.settings;
  if (book === undefined || book.inputBytes <= inputBytesMax) return;
  for (const fact of facts) {
    if (fact.kind !== 'runSubmitted' || fact.parked !== null) continue;
    const run = book.runs.get(fact.run.seq);
    if (run === undefined || run.input === null || run.state !== 'PENDING') continue;
    if (run.tasks.length > 1 || run.tasks[0]?.spec.step !== PLAIN) continue;
    run.input = null;
    book.inputBytes -= run.inputBytes;
    if (book.inputBytes <= inputBytesMax) return;
  }
}
