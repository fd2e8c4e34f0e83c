import type { Engine } from '@signalbox/engine';
import type { LoopPorts, LoopSettings } from './ports.ts';
import { Pressure } from './pressure.ts';

/** How the store is doing, as commits and beats tell, and what that means for scheduling. */
export class StoreHealth {
  readonly #p: {
    readonly engine: Engine;
    readonly ports: LoopPorts;
    readonly settings: LoopSettings;
    /** Gives everybody a fresh term: nobody is reaped for what could not be heard. */
    freshen(): void;
    isCommitting(): boolean;
  };
  readonly #pressure: Pressure;
  #lastBeatOkAt = 0;

  constructor(params: {
    engine: Engine;
    ports: LoopPorts;
    settings: LoopSettings;
    freshen(): void;
    isCommitting(): boolean;
  }) {
    this.#p = params;
    this.#pressure = new Pressure(params.settings);
  }

  get isAway(): boolean {
    return this.#pressure.away;
  }

  failed(error: string): void {
    if (this.#pressure.storeFailed()) this.#p.ports.observe?.({ kind: 'storeAway', error });
  }

  committed(tookMs: number): void {
    if (this.#pressure.committed(tookMs, this.#p.ports.monotonicMs())) this.#isBack();
  }

  beatDone(ok: boolean): void {
    if (!ok) return this.failed('the leases could not be renewed');
    const nowMs = this.#p.ports.monotonicMs();
    const late = nowMs - this.#lastBeatOkAt > this.#p.settings.beatMs * 3;
    // This process stood still for a while; the silence of that time was its own.
    if (this.#lastBeatOkAt > 0 && late) this.#p.freshen();
    this.#lastBeatOkAt = nowMs;
    // With nothing to commit, a beat that goes through is what tells that the store is back.
    if (!this.#p.isCommitting() && this.#pressure.reached()) this.#isBack();
  }

  /** Pauses the classes that must wait for the store to do better. */
  pauseClasses(now: number, areLeasesTrusted: boolean): void {
    const { engine, ports } = this.#p;
    this.#pressure.untrusted = !areLeasesTrusted;
    const pauseFrom = this.#pressure.pauseFrom(ports.monotonicMs());
    if (pauseFrom === engine.core.pauseFrom) return;
    engine.apply({ kind: 'pauseFrom', class: pauseFrom }, now, ports.random);
    ports.observe?.({ kind: 'paused', fromClass: pauseFrom });
  }

  #isBack(): void {
    this.#p.ports.observe?.({ kind: 'storeBack' });
    this.#p.freshen();
  }
}
