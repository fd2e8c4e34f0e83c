import type { Engine, Saying, Word } from '@signalbox/engine';
import { type CodeCanary, canaryWorld } from './canary.ts';

/** Every fifth word of a kind is not said. */
function silent(kind: Saying['kind']) {
  return (): { engine: (engine: Engine) => void } => {
    let said = 0;
    return {
      engine: ({ core }) => {
        const owe = core.owe.bind(core);
        core.owe = (word: Word) => {
          if (word.saying.kind === kind && ++said % 5 === 0) return;
          owe(word);
        };
      },
    };
  };
}

/** Nested runs begin, end and are given up while nodes die. */
const RESTLESS = { 'node.crash': 30_000, 'store.flaky': 30_000 } as const;

export const NESTED_CANARIES: readonly CodeCanary[] = [
  {
    name: 'some nested runs are not told that nobody waits for them',
    caughtBy: 'C15',
    options: canaryWorld(60, {}, { minutes: 8 }),
    sabotage: silent('cancelNested'),
  },
  {
    name: 'the ends of some nested runs are not told',
    caughtBy: 'C15',
    options: canaryWorld(61, {}, { minutes: 8 }),
    sabotage: silent('nestedEnded'),
  },
  {
    name: 'a nested run that nobody waits for may still begin',
    caughtBy: 'C15',
    options: canaryWorld(98, RESTLESS, { minutes: 8, nodes: 3 }),
    seeds: 8,
    sabotage: () => ({
      engine: (engine) => {
        const apply = engine.apply.bind(engine);
        engine.apply = (command, now, random) => {
          if (command.kind !== 'cancelNested' || command.holder !== null) {
            return apply(command, now, random);
          }
          return { kind: 'done' };
        };
      },
    }),
  },
  {
    name: 'a nested run is submitted under a new key each time',
    caughtBy: 'C15',
    options: canaryWorld(64, { 'node.crash': 12_000 }, { minutes: 8, nodes: 3 }),
    seeds: 4,
    sabotage: () => {
      let submissions = 0;
      return {
        engine: (engine) => {
          const apply = engine.apply.bind(engine);
          engine.apply = (command, now, random) => {
            if (command.kind !== 'submit' || command.head.nested === undefined) {
              return apply(command, now, random);
            }
            const head = { ...command.head, key: `${command.head.key}/${++submissions}` };
            return apply({ ...command, head }, now, random);
          };
        },
      };
    },
  },
];
