import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ATTACH_SCENARIOS } from './attach-scenarios.ts';
import { ATTEMPT_SCENARIOS } from './attempt-scenarios.ts';
import type { Scenario, Subject } from './scenario.ts';
import { ScriptedNode } from './scripted-node.ts';

export const SCENARIOS: readonly Scenario[] = [...ATTACH_SCENARIOS, ...ATTEMPT_SCENARIOS];

/** Starts a worker that attaches to the node at `url` with this key. */
export type StartSubject = (params: { url: string; key: string }) => Promise<Subject>;

export interface Verdict {
  readonly scenario: string;
  /** Null where the worker kept to the protocol. */
  readonly problem: string | null;
}

/** Plays every scenario against a worker of its own, one after the other. */
export async function runConformance(
  start: StartSubject,
  heard: (verdict: Verdict) => void = () => {},
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const scenario of SCENARIOS) {
    const verdict = { scenario: scenario.name, problem: await playScenario(scenario, start) };
    heard(verdict);
    verdicts.push(verdict);
  }
  return verdicts;
}

/** The problem, or null. */
export async function playScenario(
  scenario: Scenario,
  start: StartSubject,
): Promise<string | null> {
  const key = 'sbx_conformance_key';
  const node = await ScriptedNode.listen();
  try {
    const subject = await start({ url: node.url, key });
    try {
      await scenario.play({ node, subject, key });
      return null;
    } finally {
      await subject.kill();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await node.close();
  }
}

/** A worker started by a command line; it reads SIGNALBOX_URL and SIGNALBOX_KEY and obeys SIGTERM. */
export function startCommand(argv: readonly [string, ...string[]]): StartSubject {
  const [program, ...rest] = argv;
  return async ({ url, key }) => {
    const child = spawn(program, rest, {
      env: { ...process.env, SIGNALBOX_URL: url, SIGNALBOX_KEY: key },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const gone = once(child, 'exit');
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await gone;
    };
    await once(child, 'spawn');
    return { stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  };
}
