// A child of the runner: carries out one task after the other.
import type { Task } from './messages.ts';
import { carryOut } from './task.ts';

process.on('message', (message) => {
  carryOut(message as Task).then(
    (answer) => process.send?.(answer),
    (error) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
