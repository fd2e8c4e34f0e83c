import { taskId } from '@signalbox/protocol/link';
import type { Assign } from '../../executor.ts';
import { CommandFailure } from './command-failure.ts';

/** Names the folder of the attempt; whatever inherits it belongs to the attempt. */
export const FOLDER_VARIABLE = 'SIGNALBOX_FOLDER';

// Each of them makes an allowed program load code of the definition's choice.
const LOADING =
  /^(PATH|IFS|ENV|BASH_.*|SHELLOPTS|BASHOPTS|PS4|LD_.*|DYLD_.*|GCONV_PATH|NODE_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_TOOL_OPTIONS|JDK_.*|_JAVA_OPTIONS|GIT_.*)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * All that the process gets. Nothing is inherited: the worker's own environment holds its key, and
 * whatever else was started with it.
 */
export function environmentOf(params: {
  readonly assign: Assign;
  readonly env: Readonly<Record<string, string>>;
  readonly allow: true | readonly string[];
  readonly path: string;
  readonly folder: string;
}): Record<string, string> {
  const { assign, env, allow, path, folder } = params;
  for (const [name, value] of Object.entries(env)) {
    if (!NAME.test(name) || name.startsWith('SIGNALBOX_') || value.includes('\0')) {
      throw new CommandFailure(`invalid: env.${NAME.test(name) ? name : '?'} cannot be set`);
    }
    if (allow !== true && LOADING.test(name)) {
      throw new CommandFailure(`command_not_allowed: this worker does not allow env.${name}`);
    }
  }
  return {
    PATH: path,
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    ...(assign.trace === undefined ? {} : { TRACEPARENT: assign.trace }),
    ...env,
    SIGNALBOX_TENANT: assign.tenant,
    SIGNALBOX_JOB: assign.job,
    SIGNALBOX_RUN_ID: assign.run,
    SIGNALBOX_TASK_ID: taskId(assign.run, assign.task),
    SIGNALBOX_ATTEMPT_ID: assign.id,
    SIGNALBOX_IDEMPOTENCY_KEY: assign.idempotencyKey,
    SIGNALBOX_INPUT_HASH: assign.inputHash,
    ...(assign.window === undefined ? {} : windowVariables(assign.window)),
    [FOLDER_VARIABLE]: folder,
  };
}

function windowVariables({ schedule, at, kind }: NonNullable<Assign['window']>) {
  return {
    SIGNALBOX_WINDOW_SCHEDULE: schedule,
    SIGNALBOX_WINDOW_AT: new Date(at).toISOString(),
    SIGNALBOX_WINDOW_KIND: kind,
  };
}
