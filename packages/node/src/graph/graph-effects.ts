import type { Effect } from '@signalbox/engine';
import type { NodeContext } from '../context/node-context.ts';
import type { InputResolver } from '../inputs/input-resolver.ts';
import { NestedRuns } from './nested-runs.ts';
import { Notifier } from './notifier.ts';

/** Carries out what graphs ask of the node itself; what is for workers is the gateway's. */
export class GraphEffects {
  readonly #nested: NestedRuns;
  readonly #notifier: Notifier;

  constructor(params: {
    context: () => NodeContext;
    resolver: InputResolver;
    /** Between the tries of a webhook; of the usual length unless told. */
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
