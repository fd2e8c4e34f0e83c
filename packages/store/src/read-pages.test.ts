import { expect, it } from 'vitest';
import { PAGE_BYTES } from './page-bytes.ts';
import { type PageLimits, readOnePage, readPages } from './read-pages.ts';

interface Row {
  readonly number: number;
  readonly weight: number;
}

const THIRD = Math.ceil(PAGE_BYTES / 3);
const bytesOf = ({ weight }: Row) => weight;

/** A list as a store reads it: up to the row that reaches the bytes, and one at least. */
function listOf(weights: readonly number[]) {
  const rows = weights.map((weight, number): Row => ({ number, weight }));
  return (after: Row | null, { limit, bytes }: PageLimits): Promise<Row[]> => {
    const page: Row[] = [];
    for (let sum = 0, i = (after?.number ?? -1) + 1; i < rows.length; i++) {
      if (page.length === limit || (sum >= bytes && page.length > 0)) break;
      page.push(rows[i] as Row);
      sum += rows[i]?.weight ?? 0;
    }
    return Promise.resolve(page);
  };
}

it.each([
  { weights: [], limit: 3, pages: [] },
  { weights: [1, 1], limit: 3, pages: [2] },
  { weights: [1, 1, 1], limit: 3, pages: [3] },
  { weights: [1, 1, 1, 1], limit: 3, pages: [3, 1] },
  { weights: new Array(7).fill(THIRD), limit: 100, pages: [3, 3, 1] },
  { weights: [2 * PAGE_BYTES, 1, 2 * PAGE_BYTES], limit: 100, pages: [1, 2] },
])('readPages reads $weights.length rows to the end in pages of $pages', async (given) => {
  const pages: Row[][] = [];
  const { limit } = given;
  for await (const page of readPages<Row>({ limit, bytesOf, read: listOf(given.weights) })) {
    pages.push(page);
  }
  expect(pages.map((page) => page.length)).toEqual(given.pages);
  expect(pages.flat().map(({ number }) => number)).toEqual([...given.weights.keys()]);
});

it('readOnePage tells where the next page begins, by number and by bytes', async () => {
  const page = async (weights: number[], limit: number) => {
    const read = (limits: PageLimits) => listOf(weights)(null, limits);
    const { rows, last } = await readOnePage<Row>({ limit, bytesOf, read });
    return [rows.length, last?.number ?? null];
  };
  expect(await page([], 2)).toEqual([0, null]);
  expect(await page([1, 1], 2)).toEqual([2, null]);
  expect(await page([1, 1, 1], 2)).toEqual([2, 1]);
  expect(await page([THIRD, THIRD, THIRD, 1], 9)).toEqual([3, 2]);
  expect(await page([PAGE_BYTES], 9)).toEqual([1, 0]);
});
