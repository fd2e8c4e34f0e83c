import { type Engine, type Fact, PARENT_CLOSED } from '@signalbox/engine';
import { TAME } from '../world/wild-options.ts';
import { type CodeCanary, canaryWorld, nth } from './canary.ts';

/** An engine that decides as always, and forgets to write down what the test picks. */
function forgetting(forgets: (fact: Fact) => boolean) {
  return (engine: Engine): void => {
    const { core } = engine;
    const emit = core.emit.bind(core);
    core.emit = (book, fact, run) => {
      emit(book, fact, run);
      if (forgets(fact)) core.facts.pop();
    };
  };
}

export const ENGINE_CANARIES: readonly CodeCanary[] = [
  {
    name: 'the engine fails an invariant',
    caughtBy: 'C0',
    options: canaryWorld(20),
    sabotage: () => {
      const isIt = nth(500);
      return {
        engine: (engine) => {
          const apply = engine.apply.bind(engine);
          engine.apply = (command, now, random) => {
            if (isIt()) throw new Error('I99: a canary');
            return apply(command, now, random);
          };
        },
      };
    },
  },
  {
    name: 'one end is decided and not written down',
    caughtBy: 'C2',
    options: canaryWorld(21),
    sabotage: () => {
      const isIt = nth(40);
      return { engine: forgetting((fact) => fact.kind === 'runEnded' && isIt()) };
    },
  },
  {
    name: 'one end of an attempt is not written down',
    caughtBy: 'C3',
    options: canaryWorld(22),
    sabotage: () => {
      const isIt = nth(5);
      return { engine: forgetting((fact) => fact.kind === 'taskRetryAt' && isIt()) };
    },
  },
  {
    name: 'a refused completion is confirmed',
    caughtBy: 'C6',
    options: canaryWorld(23, { 'worker.pause': 12_000, 'worker.hang': 12_000 }, { minutes: 10 }),
    sabotage: () => ({ engine: confirmStale }),
  },
  {
    name: 'the completion of a revoked attempt is confirmed',
    caughtBy: 'C10',
    options: canaryWorld(24, { 'worker.pause': 12_000, 'worker.hang': 12_000 }, { minutes: 10 }),
    sabotage: () => ({ engine: confirmStale }),
  },
  {
    name: 'tasks of a graph do not wait for each other',
    caughtBy: 'C8',
    options: canaryWorld(25),
    sabotage: () => ({
      engine: ({ core }) => {
        const emit = core.emit.bind(core);
        core.emit = (book, fact, run) => {
          emit(book, fact, run);
          if (fact.kind !== 'runSubmitted') return;
          for (const task of book.runs.get(fact.run.seq)?.tasks ?? []) task.waitsFor = 0;
        };
      },
    }),
  },
  {
    name: 'a paused run goes on',
    caughtBy: 'C8',
    options: canaryWorld(35, {}, { minutes: 10 }),
    sabotage: () => ({
      engine: ({ core }) => {
        const emit = core.emit.bind(core);
        core.emit = (book, fact, run) => {
          emit(book, fact, run);
          if (fact.kind !== 'runPaused' || run === null) return;
          run.state = 'RUNNING';
        };
      },
    }),
  },
  {
    name: 'a gate opens on a no',
    caughtBy: 'C8',
    options: canaryWorld(36, {}, { minutes: 10, wild: { ...TAME, gates: true } }),
    sabotage: () => ({
      engine: ({ core }) => {
        const emit = core.emit.bind(core);
        core.emit = (book, fact, run) => {
          emit(book, fact, run);
          if (run === null || !(fact.kind === 'taskFailed' || fact.kind === 'taskTimedOut')) return;
          const gate = run.tasks[fact.task];
          if (gate?.spec.step.wait?.kind !== 'approval') return;
          // The failure stays, and with it what every other policy makes of it.
          for (const child of gate.spec.before) {
            const part = run.tasks[child]?.part;
            if (part) part.blocked &= ~PARENT_CLOSED;
          }
        };
      },
    }),
  },
  {
    name: 'every fourth notification is forgotten',
    caughtBy: 'C8',
    options: canaryWorld(34, { 'node.crash': 10_000 }, { minutes: 10 }),
    sabotage: () => {
      const forgotten = new Set<string>();
      let told = 0;
      return {
        engine: ({ core }) => {
          const tell = core.tell.bind(core);
          core.tell = (effect) => {
            if (effect.kind !== 'notify') return tell(effect);
            const { id } = effect.notification;
            if (++told % 4 === 0) forgotten.add(id);
            if (!forgotten.has(id)) tell(effect);
          };
        },
      };
    },
  },
  {
    name: 'bulk work goes first',
    caughtBy: 'C9',
    options: canaryWorld(26, {}, { submitEveryMs: 350, workers: [1, 1, 1] }),
    sabotage: () => ({
      engine: ({ core: { queues } }) => {
        const next = queues.next.bind(queues);
        queues.next = (klass) => next((2 - klass) as 0 | 1 | 2);
      },
    }),
  },
  {
    name: 'urgent work is mostly overlooked',
    caughtBy: 'C9',
    options: canaryWorld(27, {}, { submitEveryMs: 350, workers: [1, 1, 1] }),
    sabotage: () => {
      let looks = 0;
      return {
        engine: ({ core: { queues } }) => {
          const next = queues.next.bind(queues);
          queues.next = (klass) => (klass === 0 && ++looks % 50 !== 0 ? null : next(klass));
        },
      };
    },
  },
  {
    name: 'limits of tenants are taken for twice as much',
    caughtBy: 'C10',
    options: canaryWorld(28, {}, { partitions: 1, submitEveryMs: 400, burst: 40, tenants: 4 }),
    sabotage: () => ({
      engine: (engine) => {
        const apply = engine.apply.bind(engine);
        engine.apply = (command, now, random) =>
          command.kind === 'setTenant'
            ? apply({ ...command, runningMax: command.runningMax * 2 }, now, random)
            : apply(command, now, random);
      },
    }),
  },
  {
    name: 'assigned capacity is not taken off the worker',
    caughtBy: 'C10',
    options: canaryWorld(29, {}, { partitions: 1, submitEveryMs: 400, burst: 40 }),
    sabotage: () => ({
      engine: ({ core: { workers } }) => {
        const take = workers.take.bind(workers);
        let taken = 0;
        workers.take = (worker, shape) => {
          if (++taken > 60) take(worker, shape);
        };
      },
    }),
  },
  {
    name: 'superseded work is not told so',
    caughtBy: 'C11',
    options: canaryWorld(30, { 'worker.pause': 15_000, 'worker.hang': 15_000 }),
    seeds: 4,
    sabotage: () => ({
      ports: (ports) => ({
        ...ports,
        release: (effects) => ports.release(effects.filter(({ kind }) => kind !== 'stale')),
      }),
    }),
  },
  {
    name: 'every fifth timer of a task is lost',
    caughtBy: 'C11',
    options: canaryWorld(31, {}, { dueShare: 0.5 }),
    sabotage: () => {
      let armed = 0;
      return {
        engine: ({ core: { wheel } }) => {
          const arm = wheel.arm.bind(wheel);
          wheel.arm = (item, at) => {
            const isTask = (item as { kind?: string }).kind === 'task';
            if (isTask && ++armed % 5 === 0) return;
            arm(item, at);
          };
        },
      };
    },
  },
  {
    name: 'readers are told what is not durable',
    caughtBy: 'C12',
    options: canaryWorld(140, { 'node.crash': 4_000 }, { minutes: 8, nodes: 3 }),
    seeds: 12,
    sabotage: () => ({
      loop: (loop) => {
        loop.durable = () => Promise.resolve();
      },
      // Everybody reads what they have just submitted, the store takes its time, and nodes crash.
      world: (world) => {
        world.clients.onlookers.readEagerly();
        for (const node of world.nodes) node.way.latencyMs = [200, 500];
      },
    }),
  },
  {
    name: 'one parked run is counted twice',
    caughtBy: 'ledger',
    options: canaryWorld(33, {}, { dueShare: 0.3, engine: { horizonMs: 20_000 } }),
    sabotage: () => {
      const isIt = nth(3);
      return {
        engine: ({ core }) => {
          const emit = core.emit.bind(core);
          core.emit = (book, fact, run) => {
            emit(book, fact, run);
            if (fact.kind !== 'runSubmitted' || fact.parked === null || !isIt()) return;
            book.lane(fact.parked.lane).parked++;
          };
        },
      };
    },
  },
  {
    name: 'a worker runs an attempt again after its confirmation',
    caughtBy: 'C6',
    options: canaryWorld(34),
    sabotage: () => {
      const isIt = nth(20);
      return {
        acked: (worker, held) => {
          if (held.result?.kind === 'succeeded' && isIt()) {
            worker.world.clockwork.after(10, worker.actor, () => worker.record('start', held));
          }
        },
      };
    },
  },
];

function confirmStale({ core }: Engine): void {
  const tell = core.tell.bind(core);
  core.tell = (effect) => tell(effect.kind === 'stale' ? { ...effect, kind: 'confirm' } : effect);
}
