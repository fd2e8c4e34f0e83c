export * from './loop/index.ts';
export { realPorts } from './real-ports.ts';
