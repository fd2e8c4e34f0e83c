import type { RunId } from '@signalbox/engine';
import type { LogStream } from '@signalbox/protocol';
import type { LogLineRow } from '@signalbox/store';

/** Output of tasks. Written behind: a crash may lose lines, but logging never blocks a task. */
export interface TaskLogs {
  append(line: {
    readonly tenant: string;
    readonly run: RunId;
    readonly task: number;
    readonly attempt: number;
    readonly number: number;
    readonly stream: LogStream;
    readonly text: string;
  }): void;
  /** Calls the listener for every line on arrival, before it is stored; returns a function that stops it. */
  onLine?(listener: (line: LogLineRow) => void): () => void;
  flush(): Promise<void>;
}
