import '../require-node.ts';

export type { Duration } from '@signalbox/protocol';
export { SimulatedRun } from './simulated-run.ts';
export { type OfTask, type SimulateParams, Simulation, simulate } from './simulation.ts';
export type { LoggedLine } from './virtual-worker.ts';
