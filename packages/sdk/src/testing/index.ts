import '../require-node.ts';

export type { Duration } from '@signalbox/protocol';
export type { OfTask, SimulateParams } from './simulate-params.ts';
export { SimulatedRun } from './simulated-run.ts';
export { Simulation, simulate } from './simulation.ts';
export type { LoggedLine } from './virtual-worker.ts';
