import { expect, it } from 'vitest';
import { instantText } from './instant-text.ts';
import { prepareSubmission } from './prepare-submission.ts';

it('names the field, the range and the value of a Date that is not an instant', () => {
  expect(() => prepareSubmission('a', 1, { runAt: new Date(Number.NaN) })).toThrow(
    /^runAt must be a date and time .* from 1970-01-01 to 2199-12-31, not an invalid Date$/,
  );
  expect(() => instantText('until', new Date(8.64e15))).toThrow(
    /not \+275760-09-13T00:00:00.000Z$/,
  );
  expect(instantText('until', new Date(0))).toBe('1970-01-01T00:00:00.000Z');
});
