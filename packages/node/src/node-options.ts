import type { EngineSettings } from '@signalbox/engine';
import type { TargetOptions } from '@signalbox/protocol';
import type { StreamLimits } from './api/open-streams.ts';
import type { S3Settings } from './blobs/s3-blobs.ts';
import type { LoopSettings } from './loop/index.ts';
import type { RetentionSettings } from './retention/retention.ts';
import type { Listener } from './settings/listener.ts';
import type { Logger } from './settings/log.ts';
import type { PlacementWeights } from './settings/types.ts';

export interface HttpOptions extends Listener {
  readonly port: number;
  /** How many event streams a key and a tenant may have open on this node. */
  readonly streams?: Partial<StreamLimits>;
  /** Addresses and blocks of proxies whose `X-Forwarded-For` or `Forwarded` names the client. */
  readonly trustedProxies?: readonly string[];
}

export interface NodeOptions {
  /** `file:PATH`, `memory:` or `postgres://…` */
  readonly store: string;
  /** Directory of blobs. Default: next to the database file; without a file, in memory. */
  readonly dataDir?: string;
  readonly blobs?: S3Settings;
  readonly http: false | HttpOptions;
  /** The key with every right; required if the node listens. */
  readonly rootKey?: string;
  readonly log?: Logger;
  readonly partitions?: number;
  /** Shown to people; the name in leases is new with every start. */
  readonly name?: string;
  /** Allowed targets of `http` tasks; absent: public https addresses only. */
  readonly httpTargets?: TargetOptions;
  /** Jobs that metrics name, the rest as `other`; 0 or absent: metrics name no job. */
  readonly metricsJobs?: number;
  /** Weights of the scores that choose a worker; omitted weights have their defaults. */
  readonly placementWeights?: PlacementWeights;
  readonly engine?: Partial<EngineSettings>;
  readonly loop?: Partial<LoopSettings>;
  /** Retention of history; omitted fields have their defaults. False: unlimited. */
  readonly retention?: false | Partial<RetentionSettings>;
  /** Called when the node cannot continue and has stopped deciding. Default: the process ends, unless embedded. */
  readonly onFatal?: (error: unknown) => void;
}
