export { startWorkerTracing, type WorkerTracing } from './start-tracing.ts';
