import type { Evidence } from '../evidence.ts';
import type { Checker } from './checker.ts';

interface Reign {
  epoch: number;
  owner: string;
  seq: number;
}

/** C4: epochs rise, and every commit is of the owner and under the epoch that is current at its moment. */
export const fencing: Checker = {
  name: 'C4',
  promise: 'no write commits under a superseded epoch',
  check: (evidence) => [...brokenReigns(evidence), ...brokenJournal(evidence)],
};

function brokenReigns({ events }: Evidence): string[] {
  const problems: string[] = [];
  const reigns = new Map<number, Reign>();
  for (const event of events) {
    if (event.kind === 'grant') {
      const { partition, epoch, owner, seq } = event;
      const before = reigns.get(partition);
      if (before !== undefined && epoch <= before.epoch) {
        problems.push(`partition ${partition}: epoch ${epoch} was granted after ${before.epoch}`);
      }
      if (before !== undefined && seq !== before.seq + 1) {
        problems.push(`partition ${partition}: the fence of epoch ${epoch} leaves a gap`);
      }
      reigns.set(partition, { epoch, owner, seq });
    }
    if (event.kind !== 'commit') continue;
    const owner = event.commitId.slice(0, event.commitId.lastIndexOf('/'));
    for (const { partition, epoch, seq } of event.parts) {
      const reign = reigns.get(partition);
      if (reign?.epoch !== epoch) {
        problems.push(
          `partition ${partition}: a commit under epoch ${epoch}, current is ${reign?.epoch}`,
        );
      } else if (reign.owner !== owner) {
        problems.push(
          `partition ${partition}: ${owner} committed under ${reign.owner}'s epoch ${epoch}`,
        );
      }
      if (reign !== undefined && seq !== reign.seq + 1) {
        problems.push(`partition ${partition}: group ${seq} follows ${reign.seq}`);
      }
      if (reign !== undefined) reign.seq = seq;
    }
  }
  return problems;
}

/** What was committed is what is there, in rising epochs and without gaps. */
function brokenJournal({ events, journal }: Evidence): string[] {
  const problems: string[] = [];
  const commits = new Map<string, string>();
  let count = 0;
  for (const event of events) {
    if (event.kind === 'grant') count++;
    if (event.kind !== 'commit') continue;
    for (const part of event.parts) {
      commits.set(`${part.partition}/${part.seq}`, `${event.commitId}@${part.epoch}`);
      count++;
    }
  }
  if (journal.length !== count)
    problems.push(`${count} groups were written, ${journal.length} are there`);
  let previous: Evidence['journal'][number] | null = null;
  for (const group of journal) {
    const { partition, seq, epoch, commitId, facts } = group;
    if (previous?.partition === partition) {
      if (seq !== previous.seq + 1)
        problems.push(`partition ${partition}: group ${seq} after a gap`);
      if (epoch < previous.epoch)
        problems.push(`partition ${partition}: epoch falls at group ${seq}`);
    }
    const written = commits.get(`${partition}/${seq}`);
    if (written !== undefined && written !== `${commitId}@${epoch}`) {
      problems.push(`partition ${partition}: group ${seq} is not what was committed`);
    }
    if (written === undefined && facts.length > 0) {
      problems.push(`partition ${partition}: group ${seq} was never committed`);
    }
    previous = group;
  }
  return problems;
}
