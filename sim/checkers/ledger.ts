import type { Evidence } from '../evidence.ts';
import type { Checker } from './checker.ts';

/** Accepted = ended + live + parked, by partition, with what the owners count in memory. */
export const ledger: Checker = {
  name: 'ledger',
  promise: 'the owners’ books agree with the store',
  check: (evidence) => {
    const problems: string[] = [];
    const open = new Map<number, number>();
    for (const { run, end } of evidence.runs) {
      if (end !== null) continue;
      open.set(run.id.partition, (open.get(run.id.partition) ?? 0) + 1);
    }
    for (let partition = 0; partition < evidence.options.partitions; partition++) {
      const books = evidence.books.filter((book) => book.partition === partition);
      const [book] = books;
      if (book === undefined || books.length > 1) {
        problems.push(`partition ${partition} has ${books.length} owners in the end`);
        continue;
      }
      const stored = open.get(partition) ?? 0;
      if (book.live + book.parked === stored) continue;
      problems.push(
        `partition ${partition}: ${stored} open in the store, ${book.live} live and ${book.parked} parked in the book`,
      );
    }
    return [...problems, ...journalCounts(evidence)];
  },
};

/** Every submission has its row, every row its submission. */
export function journalCounts(evidence: Evidence): string[] {
  const told = new Set<string>();
  for (const { partition, facts } of evidence.journal) {
    for (const packed of facts) {
      if (packed.kind === 'submittedAt') told.add(`${partition}.${packed.run.seq}`);
    }
  }
  const rows = evidence.runs.map(({ run }) => `${run.id.partition}.${run.id.seq}`);
  const missing = rows.filter((name) => !told.has(name));
  const problems = missing.map((name) => `run ${name} has a row and is not in the journal`);
  if (told.size > rows.length) {
    problems.push(`${told.size} runs in the journal, ${rows.length} rows`);
  }
  return problems;
}
