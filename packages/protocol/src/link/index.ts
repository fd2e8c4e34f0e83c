// What a worker needs, without the schemas of the HTTP API: a worker is to be light.
export type { Resources } from '../api/common.ts';
export * from '../duration.ts';
export * from '../http-target.ts';
export * from '../ids.ts';
export { type AddressKind, classifyAddress, parseAddress, parseBlock } from '../ip-address.ts';
export * from '../limits.ts';
export * from '../lost-in-json.ts';
export * from '../payload.ts';
export * from './codec.ts';
export * from './exit-code.ts';
export * from './frame-error.ts';
export * from './frames.ts';
export { aboutProblem, readAllFromWorker, requireReadable } from './read-frame.ts';
export * from './ref-map.ts';
