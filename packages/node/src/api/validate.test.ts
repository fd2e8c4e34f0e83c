import { Type } from '@signalbox/protocol/type';
import { describe, expect, it } from 'vitest';
import { checkOf } from './validate.ts';

const State = Type.Union(['PENDING', 'RUNNING', 'FAILED'].map((word) => Type.Literal(word)));
const check = checkOf(
  Type.Object({
    state: Type.Optional(State),
    days: Type.Optional(Type.Union([Type.Object({}), Type.String()])),
  }),
  'query',
);

describe('what is refused', () => {
  it('names every word where one of several was expected', async () => {
    await expect(check({ state: 'LOST' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'state',
      message: 'must be one of "PENDING", "RUNNING", "FAILED"',
    });
  });

  it('says once that nothing fits where the choices are no words', async () => {
    await expect(check({ days: 3 })).rejects.toMatchObject({
      field: 'days',
      message: 'does not match any allowed form',
    });
  });
});
