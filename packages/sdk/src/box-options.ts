import type { RetryOptions } from './http/retry-policy.ts';
import type { Submittable } from './jsonified.ts';
import type { MembersOf } from './known-members.ts';
import { SUBMIT_MEMBERS, type SubmitOptions } from './prepare-submission.ts';

export interface OpenOptions {
  /** Tenant that owns the jobs and runs. Default: `default`. */
  readonly tenant?: string;
  /** Folder for payloads that are too large for the journal. Default: beside the database file. */
  readonly dataDir?: string;
}

export interface ConnectOptions {
  /** API key. Default: the environment variable `SIGNALBOX_KEY`. */
  readonly key?: string | undefined;
  /** Tenant to act for; only platform keys can choose it. */
  readonly tenant?: string | undefined;
  readonly retries?: RetryOptions | undefined;
}

export const OPEN_MEMBERS = {
  tenant: true,
  dataDir: true,
} as const satisfies MembersOf<OpenOptions>;
export const CONNECT_MEMBERS = {
  key: true,
  tenant: true,
  retries: true,
} as const satisfies MembersOf<ConnectOptions>;

/** Arguments of `submit` after the job; the input is optional if the job takes none. */
export type SubmitArgs<Input> = undefined extends Input
  ? [input?: Submittable<Input>, options?: SubmitOptions]
  : [input: Submittable<Input>, options?: SubmitOptions];

export interface ManyOptions {
  /** Stops waiting and sends no further request. Requests already sent may still create runs. */
  readonly signal?: AbortSignal;
}

export const MANY_MEMBERS = { signal: true } as const satisfies MembersOf<ManyOptions>;
export const ITEM_MEMBERS = { input: true, ...SUBMIT_MEMBERS } as const satisfies MembersOf<
  ManyItem<unknown>
>;

/** One submission of `submitMany`. The `signal` of one item stops all of them. */
export type ManyItem<Input> = SubmitOptions &
  (undefined extends Input
    ? { readonly input?: Submittable<Input> }
    : { readonly input: Submittable<Input> });
