import type {
  CommandWork,
  Duration,
  HttpWork,
  Resources,
  RetryPolicy,
  TaskDefinition,
} from '@signalbox/protocol';
import type { HandlerContext } from '@signalbox/worker';
import type { IsolatedHandler } from './isolated.ts';
import { type MembersOf, refuseUnknown } from './known-members.ts';

/** What a task does where it runs in a worker of yours. What it returns is JSON, bytes or nothing. */
export type Handler<Input, Output> = (
  input: Input,
  ctx: HandlerContext,
) => Output | Promise<Output>;

/** A function, or a file that has one. */
export type HandlerLike<Input, Output> = Handler<Input, Output> | IsolatedHandler<Input, Output>;
export type AnyHandler = HandlerLike<never, unknown>;

export function isHandler(value: object): value is AnyHandler {
  return typeof value === 'function' || ('module' in value && 'isolation' in value);
}

/** Settings of one task: how it is placed, retried and timed out. */
export interface TaskOptions {
  readonly retry?: RetryPolicy;
  /** When an attempt is stopped: '5m', or milliseconds. */
  readonly timeout?: Duration | null;
  /** Maximum time without progress, once an attempt has reported any. */
  readonly progressTimeout?: Duration | null;
  /** How long a stopped attempt has to clean up before it is ended by force. */
  readonly gracePeriod?: Duration;
  /** How long an attempt usually takes; a warning is raised at twice this. */
  readonly expectedDuration?: Duration | null;
  /** What it needs of a worker; without it one slot. */
  readonly resources?: Partial<Resources>;
  readonly zone?: string;
  /** Labels that its worker must have. */
  readonly workerLabels?: Readonly<Record<string, string>>;
  /** Labels that its worker had better have. */
  readonly prefer?: Readonly<Record<string, string>>;
  /** Jobs that must not run on the same worker at the same time. */
  readonly antiAffinity?: readonly string[];
  readonly critical?: boolean;
}

/** A child process: its arguments, never a shell line. */
export interface CommandOptions extends TaskOptions {
  readonly command: readonly [string, ...string[]] | CommandWork;
}

/** A request: its address, or all of it. */
export interface HttpOptions extends TaskOptions {
  readonly http: string | HttpWork;
}

export type WorkOptions = TaskOptions | CommandOptions | HttpOptions;

export const TASK_MEMBERS = {
  retry: true,
  timeout: true,
  progressTimeout: true,
  gracePeriod: true,
  expectedDuration: true,
  resources: true,
  zone: true,
  workerLabels: true,
  prefer: true,
  antiAffinity: true,
  critical: true,
} as const satisfies MembersOf<TaskOptions>;

export const WORK_MEMBERS = {
  command: true,
  http: true,
  ...TASK_MEMBERS,
} as const satisfies MembersOf<WorkOptions>;

/** What settings of a task that are objects have in turn. */
const NESTED_MEMBERS = {
  retry: {
    maxAttempts: true,
    backoff: true,
    onExhausted: true,
    onTimeout: true,
  } satisfies MembersOf<RetryPolicy>,
} as const;

/** Refuses unknown settings inside of those that are objects; `of` is the job or the task. */
export function refuseUnknownNested(
  of: string,
  options: { readonly [Name in keyof typeof NESTED_MEMBERS]?: unknown },
): void {
  for (const [name, members] of Object.entries(NESTED_MEMBERS)) {
    const given = options[name as keyof typeof NESTED_MEMBERS];
    if (typeof given !== 'object' || given === null) continue;
    refuseUnknown(`${name} of ${of}`, Object.keys(given), members);
  }
}

/** The task as the wire has it. Absent options stay absent: an unchanged job keeps its version. */
export function taskDefinitionOf(options: WorkOptions): TaskDefinition {
  const { retry, resources, zone, workerLabels, prefer, antiAffinity, critical } = options;
  const { timeout, progressTimeout, gracePeriod, expectedDuration } = options;
  const command = 'command' in options ? options.command : undefined;
  const http = 'http' in options ? options.http : undefined;
  return {
    ...(command && { command: isCommandWork(command) ? command : { argv: [...command] } }),
    ...(http && { http: typeof http === 'string' ? { url: http } : http }),
    ...(resources && { resources }),
    ...(zone !== undefined && { zone }),
    ...(workerLabels && { labels: workerLabels }),
    ...(prefer && { prefer }),
    ...(antiAffinity && { antiAffinity: [...antiAffinity] }),
    ...(retry && { retry }),
    ...(timeout !== undefined && { timeout }),
    ...(progressTimeout !== undefined && { progressTimeout }),
    ...(gracePeriod !== undefined && { gracePeriod }),
    ...(expectedDuration !== undefined && { expectedDuration }),
    ...(critical !== undefined && { critical }),
  };
}

function isCommandWork(command: CommandOptions['command']): command is CommandWork {
  return !Array.isArray(command);
}
