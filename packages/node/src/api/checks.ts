export { checkRequest, type NamedRequest } from './check-request.ts';
export { readBatch } from './read-batch.ts';
