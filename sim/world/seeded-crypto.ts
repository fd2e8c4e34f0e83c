import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Dice } from './streams.ts';

/**
 * Names that a node invents come from the seed too, or two runs of a seed would sort the inbox
 * differently. Worlds of one process run one after the other.
 */
export function seedCrypto(dice: Dice): void {
  crypto.randomInt = ((max: number) => dice.int(max)) as typeof crypto.randomInt;
  syncBuiltinESMExports();
}
