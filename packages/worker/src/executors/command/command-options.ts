export interface CommandExecutorOptions {
  /**
   * The worker's own consent. `true` lets every program run; a list names programs, as bare names
   * (found on the worker's `path`) or as absolute paths. There is no default, so that commands never run
   * by accident.
   */
  readonly allow: true | readonly string[];
  /** `auto` takes the strongest that works, or none; the others are demanded: without them, it throws. */
  readonly isolation?: 'auto' | 'bubblewrap' | 'namespaces' | 'none';
  /** Network for isolated commands; off unless set. Commands without isolation always have it. */
  readonly network?: boolean;
  /** Folders and files that an isolated command finds empty, beside those that are always hidden. */
  readonly hide?: readonly string[];
  /** Where programs are searched, and their PATH. Default: the PATH of the worker. */
  readonly path?: string;
  /** Parent of the folders of attempts. */
  readonly folder?: string;
  /** The file mode mask of commands; that of the worker unless set. */
  readonly umask?: number;
  readonly outputBytesMax?: number;
  readonly logBytesMax?: number;
  readonly logBytesPerSecond?: number;
  readonly memoryPollMs?: number;
}

export const OUTPUT_BYTES_MAX = 1_048_576;
export const LOG_BYTES_MAX = 10_485_760;
export const LOG_BYTES_PER_SECOND = 262_144;
export const MEMORY_POLL_MS = 250;
