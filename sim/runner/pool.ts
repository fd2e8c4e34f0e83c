import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Task } from './messages.ts';

/** Megabytes. A world makes much short-lived garbage; with Node.js's 16 the collector takes 5 % more of its time. */
const YOUNG_SPACE_MB = 64;

/** Shares tasks among child processes, because a world keeps one core busy by itself. */
export async function runTasks(
  tasks: readonly Task[],
  processes: number,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  const waiting = [...tasks];
  const child = fileURLToPath(new URL('./child.ts', import.meta.url));
  const execArgv = [...process.execArgv, `--max-semi-space-size=${YOUNG_SPACE_MB}`];
  const workers = Array.from({ length: Math.min(processes, tasks.length) }, () =>
    fork(child, { execArgv }),
  );
  try {
    await Promise.all(workers.map((worker) => feed(worker, waiting, onAnswer)));
  } finally {
    for (const worker of workers) worker.kill();
  }
}

async function feed(
  worker: ChildProcess,
  waiting: Task[],
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  for (;;) {
    const task = waiting.shift();
    if (task === undefined) return;
    onAnswer(await ask(worker, task));
  }
}

function ask(worker: ChildProcess, task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => {
      reject(new Error(`a simulator process ended with ${code} during ${JSON.stringify(task)}`));
    };
    worker.once('exit', gone);
    worker.once('message', (message) => {
      worker.off('exit', gone);
      resolve(message as Answer);
    });
    worker.send(task);
  });
}
