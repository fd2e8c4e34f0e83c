import type { Requested } from '../history.ts';

/**
 * I2: requests under one key that were acknowledged have the same content: as many submissions, in the
 * same order, of the same jobs, keys and unique values. Where every submission has a key of its own the
 * request's key is not compared, as documented.
 */
export function judgeRequests(requests: readonly Requested[]): string[] {
  const compared = requests.filter(({ items, isAcknowledged }) => {
    return isAcknowledged && items.some(({ key }) => key === null);
  });
  const problems: string[] = [];
  for (const [name, own] of Map.groupBy(compared, ({ tenant, key }) => `${tenant}/${key}`)) {
    const contents = new Set(own.map(contentOf));
    if (contents.size === 1) continue;
    problems.push(`request ${name} was acknowledged with contents ${[...contents].join(' and ')}`);
  }
  return problems;
}

function contentOf({ items }: Requested): string {
  return JSON.stringify(items.map(({ job, key, unique }) => [job, key, unique]));
}
