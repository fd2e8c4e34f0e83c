import { describe, expect, it } from 'vitest';
import { balanceProblem } from './balance.ts';

const books = { submitted: 10, handled: 10, duplicates: 0, left: 0 };

describe('the balance of a session', () => {
  it('is right when all was handled, or what was not is still there', () => {
    expect(balanceProblem(books)).toBeNull();
    expect(balanceProblem({ ...books, handled: 4, left: 6 })).toBeNull();
  });

  it('names what is missing', () => {
    expect(balanceProblem({ ...books, handled: 9 })).toBe('1 of 10 tasks are missing');
  });

  it('does not let what comes twice hide what never came', () => {
    expect(balanceProblem({ ...books, handled: 9, duplicates: 1 })).toMatch('missing');
  });

  it('names what was handled and did not end', () => {
    expect(balanceProblem({ ...books, left: 2 })).toBe('2 tasks were handled and are still there');
  });
});
