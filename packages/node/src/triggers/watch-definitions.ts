import type { Store } from '@signalbox/store';
import type { CommitLoop } from '../loop/index.ts';
import type { Logger } from '../settings/log-events.ts';
import { DefinitionWatch } from './definition-watch.ts';
import { HEARING_KIND, HearingBook } from './hearing-book.ts';
import { TRIGGER_KIND } from './stored-trigger.ts';
import { TriggerBook } from './trigger-book.ts';

/** What is followed of what tenants have saved, because it says what becomes of events. */
export interface Watches {
  readonly watch: DefinitionWatch<TriggerBook>;
  readonly hearing: DefinitionWatch<HearingBook>;
}

export function watchDefinitions(params: {
  readonly store: Store;
  readonly loop: () => CommitLoop;
  readonly log: Logger;
}): Watches {
  const { store, loop, log } = params;
  const triggers = new TriggerBook();
  const hearing = new HearingBook(() => loop().settings.partitions);
  const changed = (): void => {
    loop().follow(new Set([...triggers.followers(), ...hearing.followers()]));
  };
  const common = { store, log, isAlone: () => loop().leases.isAlone, changed };
  return {
    watch: new DefinitionWatch({ ...common, kind: TRIGGER_KIND, book: triggers }),
    hearing: new DefinitionWatch({ ...common, kind: HEARING_KIND, book: hearing }),
  };
}
