import type { AlertFields, Effect } from '@signalbox/engine';
import type { Logger } from '../settings/log-events.ts';

type Alert = (Effect & { kind: 'alert' })['alert'];

const LINES = {
  softTimeout: ['attempt.overdue', 'attempt passed its soft timeout'],
  quarantined: ['task.quarantined', 'task quarantined'],
  workerLost: ['worker.lost', 'worker lost'],
  workerIdle: ['worker.cordoned', 'worker cordoned, accepts nothing'],
  runPaused: ['run.paused', 'run paused, needs an operator'],
  runStuck: ['run.stuck', 'run makes no progress'],
  additionRefused: ['task.addition_refused', 'added tasks refused'],
  windowLate: ['window.late', 'window started late'],
  scheduleWithoutNext: ['schedule.exhausted', 'schedule has no further window'],
  scheduleFailed: ['schedule.failed', 'windows cannot be computed'],
  windowInputFailed: ['window.failed', 'input of a window cannot be computed'],
} as const satisfies Record<Alert, unknown>;

/** Something a person should know: one line with `alert` set, so that all of them can be searched. */
export function logAlert(
  log: Logger,
  { alert, about }: { alert: Alert; about: AlertFields },
): void {
  const [event, message] = LINES[alert];
  const { window, since, ...fields } = about;
  const times = {
    ...(window === undefined ? {} : { window: new Date(window).toISOString() }),
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
  };
  log.warn({ event, alert: true, ...fields, ...times }, message);
}
