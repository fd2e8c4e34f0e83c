import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { release } from '../core/occupy.ts';

/** A tenant's weight among the others, and how many of its attempts may run at once in each class. */
export function setTenant(core: Core, command: Command & { kind: 'setTenant' }): Answer {
  for (const owner of core.tenant(command.tenant)) {
    owner.setWeight(command.weight, core.now);
    owner.runningMax = command.runningMax;
    if (owner.held && owner.running < owner.runningMax) release(core, owner);
    else core.queues.rekey(owner);
  }
  return DONE;
}
