import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';

/** A tenant's weight among the others, and how many of its attempts may run at once in each class. */
export function setTenant(core: Core, command: Command & { kind: 'setTenant' }): Answer {
  for (const owner of core.tenant(command.tenant)) {
    owner.weight = command.weight;
    owner.runningMax = command.runningMax;
    owner.computeKey(core.now);
    if (owner.held && owner.running < owner.runningMax) core.queues.resume(owner);
    else core.queues.rekey(owner);
  }
  return DONE;
}
