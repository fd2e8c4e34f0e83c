import type { Role } from '@signalbox/protocol';

/** The authenticated sender of a request. */
export interface Caller {
  /** The key's id; `root` for the key from the settings. */
  readonly key: string;
  /** The tenant that the request acts on. */
  readonly tenant: string;
  readonly role: Role;
  /** True for keys of the platform, which may act on every tenant. */
  readonly platform: boolean;
  readonly ip: string;
  readonly requestId: string;
}
