export { conformanceSuite } from './conformance-suite.ts';
export { type DifferentialRun, differentialRun } from './differential/differential-run.ts';
export { memoryTarget } from './memory-target.ts';
export {
  type ConformanceHarness,
  type ConformanceOptions,
  type ConformanceTarget,
  waitPast,
} from './target.ts';
