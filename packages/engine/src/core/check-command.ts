import type { Answer, Command } from '../commands.ts';
import { isInstant, isWithin } from '../model/ranges.ts';
import { DIMENSIONS, type Resources } from '../model/resources.ts';

/**
 * The door of the engine: a number that is not finite or out of its range is refused here, whatever
 * brings it, because behind it numbers become facts, and a fact that cannot be read back would keep
 * the partition from ever being opened again. Null where nothing is wrong.
 */
export function refusalOf(command: Command): Answer | null {
  const field = wrongField(command);
  return field === null
    ? null
    : { kind: 'refused', code: 'invalid', message: `${field} is out of range` };
}

function wrongField(command: Command): string | null {
  switch (command.kind) {
    case 'submit': {
      const { dueAt } = command.head;
      return dueAt === undefined || isInstant(dueAt) ? null : 'dueAt';
    }
    case 'beat':
      for (const { value } of command.progress) if (!Number.isFinite(value)) return 'progress';
      return areAmounts(command.foreignUse) ? null : 'foreignUse';
    case 'refuse':
      return command.foreignUse === null || areAmounts(command.foreignUse) ? null : 'foreignUse';
    case 'attachWorker':
      if (!areAmounts(command.info.total)) return 'total';
      return areAmounts(command.foreignUse) ? null : 'foreignUse';
    case 'setTenant': {
      const { weight, runningMax } = command;
      if (!isWithin('tenant.weight', weight)) return 'weight';
      // Without a limit.
      if (runningMax === Number.POSITIVE_INFINITY) return null;
      return isWithin('tenant.maxRunning', runningMax) ? null : 'runningMax';
    }
    case 'resumeRun':
      return command.fanOutMax === 0 || isWithin('limits.maxFanOut', command.fanOutMax)
        ? null
        : 'fanOutMax';
    default:
      return null;
  }
}

function areAmounts(resources: Resources): boolean {
  for (const dimension of DIMENSIONS) {
    if (!isWithin('resources.cpuMilli', resources[dimension])) return false;
  }
  return true;
}
