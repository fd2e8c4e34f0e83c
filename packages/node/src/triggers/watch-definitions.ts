import type { Store } from '@signalbox/store';
import type { CommitLoop } from '../loop/index.ts';
import type { Logger } from '../settings/log-events.ts';
import { DefinitionWatch } from './definition-watch.ts';
import { TRIGGER_KIND } from './stored-trigger.ts';
import { SUBSCRIPTION_KIND, SubscriptionIndex } from './subscription-index.ts';
import { TriggerIndex } from './trigger-index.ts';

/** The definitions that determine what happens to an event, kept current in memory. */
export interface Watches {
  readonly watch: DefinitionWatch<TriggerIndex>;
  readonly subscriptions: DefinitionWatch<SubscriptionIndex>;
}

export function watchDefinitions(params: {
  readonly store: Store;
  readonly loop: () => CommitLoop;
  readonly log: Logger;
}): Watches {
  const { store, loop, log } = params;
  const triggers = new TriggerIndex();
  const subscriptions = new SubscriptionIndex(() => loop().settings.partitions);
  const changed = (): void => {
    loop().follow(new Set([...triggers.completionTenants(), ...subscriptions.completionTenants()]));
  };
  const common = { store, log, isAlone: () => loop().leases.isAlone, changed };
  return {
    watch: new DefinitionWatch({ ...common, kind: TRIGGER_KIND, index: triggers }),
    subscriptions: new DefinitionWatch({
      ...common,
      kind: SUBSCRIPTION_KIND,
      index: subscriptions,
    }),
  };
}
