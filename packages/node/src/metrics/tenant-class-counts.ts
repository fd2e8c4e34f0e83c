import { CLASSES, type Class, type Resources, type RunState } from '@signalbox/engine';
import type { Count } from './counter.ts';
import type { MetricSet } from './definitions.ts';
import type { Observations } from './histogram.ts';

const BYTES_PER_MB = 1_048_576;

/**
 * What is counted of the tasks of one tenant and class. Each series is found when it is first needed,
 * so that none is shown that nothing was counted in, and kept: no task pays for looking it up.
 */
export class TenantClassCounts {
  /** As in the label `priority`. */
  readonly class: string;
  readonly #set: MetricSet;
  readonly #tenant: string;
  readonly #zoneLabel: (zone: string) => string;
  #submitted: Count | null = null;
  #processing: Observations | null = null;
  #costCpu: Count | null = null;
  #costMemory: Count | null = null;
  /** By the label of the zone. */
  readonly #delays = new Map<string, Observations>();
  readonly #durations = new Map<RunState, Observations>();

  constructor(params: {
    set: MetricSet;
    class: Class;
    /** The label, as that of many tenants may be one. */
    tenant: string;
    zone: (name: string) => string;
  }) {
    this.class = CLASSES[params.class];
    this.#set = params.set;
    this.#tenant = params.tenant;
    this.#zoneLabel = params.zone;
  }

  submitted(): void {
    this.#submitted ??= this.#set.submitted.of(this.class, this.#tenant);
    this.#submitted.add();
  }

  /** From ready to assigned, in the zone of the worker. */
  waited(seconds: number, zone: string): void {
    const delay = this.#delays.get(zone) ?? this.#delayIn(this.#zoneLabel(zone));
    delay.observe(seconds);
  }

  /** An attempt is over that held what it had requested for so long. */
  held(seconds: number, request: Resources): void {
    this.#processing ??= this.#set.processing.of(this.class);
    this.#costCpu ??= this.#set.costCpu.of(this.#tenant);
    this.#costMemory ??= this.#set.costMemory.of(this.#tenant);
    this.#processing.observe(seconds);
    this.#costCpu.add((request.cpuMilli / 1_000) * seconds);
    this.#costMemory.add(request.memoryMb * BYTES_PER_MB * seconds);
  }

  runEnded(seconds: number, state: RunState): void {
    const duration = this.#durations.get(state) ?? this.#durationOf(state);
    duration.observe(seconds);
  }

  #delayIn(zone: string): Observations {
    const delay = this.#set.delay.of(this.class, this.#tenant, zone);
    this.#delays.set(zone, delay);
    return delay;
  }

  #durationOf(state: RunState): Observations {
    const duration = this.#set.runDuration.of(this.class, state);
    this.#durations.set(state, duration);
    return duration;
  }
}
