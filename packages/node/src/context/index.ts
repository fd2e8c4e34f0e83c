export type { Caller } from '../auth/caller.ts';
export type { BlobStore } from '../blobs/blob-store.ts';
export { ApiError } from '../errors/api-error.ts';
export type { Feed, FeedEvent } from '../feed/feed.ts';
export type { TaskLogs } from '../logs/task-logs.ts';
export type { Audit, Fleet, NodeContext } from './node-context.ts';
