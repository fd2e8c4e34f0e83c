export { assertStrongKey } from './auth/strong-key.ts';
export * from './context.ts';
export { Gateway } from './gateway/gateway.ts';
export { connectInProcess } from './gateway/in-process.ts';
export * from './loop/index.ts';
export { isShared } from './open-store.ts';
export { realPorts } from './real-ports.ts';
export { type NodeOptions, type RunningNode, startNode } from './start-node.ts';
export { VERSION } from './version.ts';
