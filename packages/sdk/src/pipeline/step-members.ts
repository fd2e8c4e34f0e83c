import type { Approval, Duration, EventWait, NestedRun } from '@signalbox/protocol';
import type { MembersOf } from '../known-members.ts';
import { TASK_MEMBERS, type TaskOptions, WORK_MEMBERS, type WorkOptions } from '../work.ts';
import type { Given } from './inputs.ts';
import type { Pipeline } from './pipeline-tasks.ts';
import type { StepOptions } from './step.ts';

interface Inputs {
  readonly inputs?: Given;
}

/** What each kind of task in a pipeline reads of its options. */
export type WorkStepOptions = WorkOptions & StepOptions & Inputs;
export type FanOutOptions = WorkStepOptions & { readonly from?: object };
export type DynamicOptions = TaskOptions & StepOptions & Inputs;
export type SleepOptions = StepOptions & {
  readonly for?: Duration;
  readonly until?: Date | string;
};
export type ApprovalOptions = StepOptions & Approval;
export type EventOptions = StepOptions & EventWait;
export type RunOptions = StepOptions & Inputs & Omit<NestedRun, 'job'>;

/** What users may write: of several ways to call it the last, which takes the most. */
type Written<Kind extends Exclude<keyof Pipeline, 'input' | 'run'>> = Parameters<
  Pipeline[Kind]
>[1] &
  object;
type WrittenRun = Parameters<Pipeline['run']>[2];

const step = {
  after: true,
  when: true,
  ifParentSkipped: true,
} as const satisfies MembersOf<StepOptions>;
const silence = { timeout: true, default: true } as const;
const work = {
  ...WORK_MEMBERS,
  ...step,
  inputs: true,
} as const satisfies MembersOf<WorkStepOptions | Written<'task'>>;

export const STEP_MEMBERS = {
  task: work,
  fanOut: { from: true, ...work } satisfies MembersOf<FanOutOptions | Written<'fanOut'>>,
  dynamic: { ...TASK_MEMBERS, ...step, inputs: true } satisfies MembersOf<
    DynamicOptions | Written<'dynamic'>
  >,
  sleep: { for: true, until: true, ...step } satisfies MembersOf<SleepOptions | Written<'sleep'>>,
  approval: { message: true, onReject: true, ...silence, ...step } satisfies MembersOf<
    ApprovalOptions | Written<'approval'>
  >,
  event: { type: true, filter: true, ...silence, ...step } satisfies MembersOf<
    EventOptions | Written<'event'>
  >,
  run: { ...step, inputs: true, onReject: true } satisfies MembersOf<RunOptions | WrittenRun>,
} as const;
