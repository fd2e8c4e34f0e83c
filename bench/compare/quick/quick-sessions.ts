import type { Servers } from '../servers/servers.ts';
import { type Balance, Session } from '../session.ts';
import type { Load, Shape, System } from '../systems/system.ts';

/** A system under the settings of a shape, in operation. */
export interface Lane {
  readonly system: System;
  readonly session: Session;
  readonly load: Load;
}

/**
 * Keeps every system in operation at once, so that a measurement costs no start; only one is fed at
 * a time. Shapes for which a system has the same settings share its session.
 */
export class QuickSessions {
  readonly #servers: Servers;
  readonly #sessions = new Map<string, Promise<Session>>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  async lane(system: System, shape: Shape): Promise<Lane> {
    const tuning = system.tunings[shape];
    if (tuning === undefined) throw new Error(`${system.name} is not measured in ${shape}`);
    const key = JSON.stringify([system.name, tuning.config]);
    let session = this.#sessions.get(key);
    if (session === undefined) {
      session = Session.open(system, tuning, this.#servers);
      this.#sessions.set(key, session);
    }
    return { system, session: await session, load: tuning.load };
  }

  /** Ends all of them; what each submitted, handled and left. */
  async close(): Promise<{ system: string; balance: Balance }[]> {
    const sessions = await Promise.all(this.#sessions.values());
    return Promise.all(
      sessions.map(async (session) => ({
        system: session.system.name,
        balance: await session.close(),
      })),
    );
  }
}
