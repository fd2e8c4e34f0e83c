export { Supplier, type Supply, type Unsuppliable } from '../supply/supplier.ts';
export { graphPorts } from './graph-ports.ts';
export { NestedRuns } from './nested-runs.ts';
