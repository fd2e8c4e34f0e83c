import type {
  CommandWork,
  Duration,
  HttpWork,
  Resources,
  RetryPolicy,
  TaskDefinition,
} from '@signalbox/protocol';
import type { HandlerContext, HandlerModule } from '@signalbox/worker';
import { type MembersOf, refuseUnknown } from './known-members.ts';

/** The function that a worker runs for a task. It returns a JSON value, bytes or nothing. */
export type Handler<Input, Output> = (
  input: Input,
  ctx: HandlerContext,
) => Output | Promise<Output>;

declare const types: unique symbol;

/** A handler in a separate file, run in a thread or process of its own. */
export interface IsolatedHandler<Input, Output> extends HandlerModule {
  /** Only for the type checker; does not exist at run time. */
  readonly [types]?: Handler<Input, Output>;
}

/** A handler function, or a reference to one in a separate file. */
export type HandlerLike<Input, Output> = Handler<Input, Output> | IsolatedHandler<Input, Output>;
export type AnyHandler = HandlerLike<never, unknown>;

export function isHandler(value: object): value is AnyHandler {
  return typeof value === 'function' || ('module' in value && 'isolation' in value);
}

/** Options of one task: placement, retries and timeouts. */
export interface TaskOptions {
  readonly retry?: RetryPolicy;
  /** Maximum duration of an attempt, '5m' or milliseconds. */
  readonly timeout?: Duration | null;
  /** Maximum time without progress, once an attempt has reported any. */
  readonly progressTimeout?: Duration | null;
  /** How long a stopped attempt has to clean up before it is ended by force. */
  readonly gracePeriod?: Duration;
  /** Usual duration of an attempt; a warning is raised at twice this. */
  readonly expectedDuration?: Duration | null;
  /** Resources that an attempt needs on a worker. Default: one slot. */
  readonly resources?: Partial<Resources>;
  readonly zone?: string;
  /** Labels that the worker must have. */
  readonly workerLabels?: Readonly<Record<string, string>>;
  /** Labels that the worker should have if possible. */
  readonly prefer?: Readonly<Record<string, string>>;
  /** Jobs that must not run on the same worker at the same time. */
  readonly antiAffinity?: readonly string[];
  readonly critical?: boolean;
}

/** A task that runs a child process: a list of arguments, never a shell line. */
export interface CommandOptions extends TaskOptions {
  readonly command: readonly [string, ...string[]] | CommandWork;
}

/** A task that sends an HTTP request: its URL, or the whole request. */
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

/** Refuses unknown settings inside of those that are objects; `owner` is the job or the task. */
export function refuseUnknownNested(
  owner: string,
  options: { readonly [Name in keyof typeof NESTED_MEMBERS]?: unknown },
): void {
  for (const [name, members] of Object.entries(NESTED_MEMBERS)) {
    const nested = options[name as keyof typeof NESTED_MEMBERS];
    if (typeof nested !== 'object' || nested === null) continue;
    refuseUnknown(`${name} of ${owner}`, Object.keys(nested), members);
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
    ...(workerLabels && { workerLabels }),
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
