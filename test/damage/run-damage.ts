import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowKind } from '@signalbox/store';
import { build } from './build.ts';
import { damageOne } from './damage-one.ts';
import { postgresTemplate, sqliteTemplate } from './databases.ts';
import { Random } from './random.ts';
import { check, readReference } from './round.ts';

export interface DamageOptions {
  readonly seed: number;
  readonly rounds: number;
  /** The first round, to repeat one. */
  readonly from?: number;
  /** The administrator's url of a PostgreSQL server; without one the rounds are on SQLite. */
  readonly postgres?: string;
  /** One after the other; otherwise each round draws one. */
  readonly kinds?: readonly RowKind[];
  readonly progress?: (text: string) => void;
}

export interface DamageReport {
  readonly rounds: number;
  /** Rounds by kind of row. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Each round: copy a small store, damage one value of one row, start a node on it, and compare. */
export async function runDamage(options: DamageOptions): Promise<DamageReport> {
  const { seed, rounds, from = 1, postgres, progress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-damage-'));
  const template =
    postgres === undefined ? sqliteTemplate(folder) : await postgresTemplate(postgres, folder);
  const kinds: Record<string, number> = {};
  const problems: string[] = [];
  try {
    const expected = await build(template);
    const whole = await template.copy(0);
    const reference = await readReference(whole, expected);
    await whole.drop();
    for (let round = from; round < from + rounds; round++) {
      const random = new Random(seed * 1_000_003 + round);
      const copy = await template.copy(round);
      const kind = options.kinds?.[round % options.kinds.length];
      const damage = await damageOne(copy, random, kind);
      const { table, column, way } = damage;
      kinds[table.kind] = (kinds[table.kind] ?? 0) + 1;
      const found = await check({ copy, damage, expected, reference }).catch((error: unknown) => [
        `the node does not work: ${error instanceof Error ? error.stack : String(error)}`,
      ]);
      for (const problem of found) {
        const change = `${shown(damage.row[column])} to ${shown(damage.value)}`;
        const text = `round ${round} (${table.name}.${column}, ${way}, ${change}): ${problem}`;
        problems.push(text);
        progress?.(`  ${text}`);
      }
      if (round % 100 === 0) progress?.(`round ${round}: ${problems.length} problems`);
      await copy.drop();
    }
  } finally {
    await template.drop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { rounds, kinds, problems };
}

function shown(value: unknown): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
