export {
  InputResolver,
  type ResolvedInput,
  type UnresolvableInput,
} from '../inputs/input-resolver.ts';
export { graphPorts } from './graph-ports.ts';
export { NestedRuns } from './nested-runs.ts';
