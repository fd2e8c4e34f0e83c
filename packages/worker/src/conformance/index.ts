export { assignOf, HANDLERS, refOf, SLOTS } from './assignment.ts';
export {
  playScenario,
  runConformance,
  SCENARIOS,
  type StartSubject,
  startCommand,
  type Verdict,
} from './run-conformance.ts';
export type { Scenario, Stage, Subject } from './scenario.ts';
export { ScriptedNode, Violation } from './scripted-node.ts';
