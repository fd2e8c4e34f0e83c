/*
 * Graph: carries out the effects of graphs that concern the node itself; the gateway handles those for workers.
 *
 *   startRun ──► starting ── submitted ──► nestedBegun ──► (engine and nested run exchange messages, ADR 0028)
 *                 │    ▲ ── refused ────► nestedRefused ──► the task fails
 *                 └────┘ retried every second: run or job paused, store or owner unavailable
 *   notify ────► delivering ── all targets replied, or given up ──► notified ──► the run may close
 *                 │    ▲
 *                 └────┘ retried with back-off
 *
 * Called by: the commit loop, which releases effects when they are durable, and again after a take-over.
 * Atomic: nothing. Each effect is carried out at least once; a nested run is submitted under the key of its wait, so
 * repetition finds the same run, and a notification keeps its id, so receivers recognize repetition.
 * Can fail: any step, and the process. The engine keeps the wait or the notification open until it gets the outcome.
 */
import type { Effect } from '@signalbox/engine';
import type { NodeContext } from '../context/node-context.ts';
import type { InputResolver } from '../inputs/input-resolver.ts';
import { NestedRuns } from './nested-runs.ts';
import { Notifier } from './notifier.ts';

export class GraphEffects {
  readonly #nested: NestedRuns;
  readonly #notifier: Notifier;

  constructor(params: {
    context: () => NodeContext;
    resolver: InputResolver;
    /** Delays between attempts to deliver a webhook; default: exponential back-off. */
    webhookDelaysMs?: readonly number[];
  }) {
    this.#nested = new NestedRuns(params.context, params.resolver);
    this.#notifier = new Notifier(params.context, params.webhookDelaysMs);
  }

  receive(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'notify') this.#notifier.notify(effect);
      else if (effect.kind === 'startRun') this.#nested.start(effect);
    }
  }

  stop(): void {
    this.#nested.stop();
    this.#notifier.stop();
  }
}
