import { SOMETIMES, type Sometimes } from '../coverage.ts';
import type { Answer } from './messages.ts';

export interface Failure {
  readonly seed: number;
  readonly checker: string;
  readonly problems: readonly string[];
  readonly replay: string;
}

/** Adds up what the seeds of one run of the simulator showed. */
export class Summary {
  readonly minutes: number;
  seeds = 0;
  simulatedMs = 0;
  cpuMs = 0;
  tasks = 0;
  runs = 0;
  violations = 0;
  nondeterministic = 0;
  canariesCaught = 0;
  canariesTotal = 0;
  readonly missed: string[] = [];
  readonly failures: Failure[] = [];
  readonly sometimes: Record<Sometimes, number>;

  constructor(minutes: number) {
    this.minutes = minutes;
    this.sometimes = Object.fromEntries(SOMETIMES.map((name) => [name, 0])) as Record<
      Sometimes,
      number
    >;
  }

  /** Answers what is worth a line. */
  add(answer: Answer): string | null {
    if (answer.kind === 'canary') return this.#canary(answer);
    const { result, isSame } = answer;
    this.seeds++;
    this.simulatedMs += result.simulatedMs;
    this.cpuMs += result.cpuMs;
    this.tasks += result.tasks;
    this.runs += result.runs;
    for (const [name, count] of Object.entries(result.sometimes)) {
      this.sometimes[name as Sometimes] += count;
    }
    const replay = `npm run sim -- --seed ${result.seed} --minutes ${this.minutes}`;
    const lines: string[] = [];
    for (const { checker, problems } of result.violations) {
      this.violations += problems.length;
      this.failures.push({ seed: result.seed, checker, problems: problems.slice(0, 5), replay });
      lines.push(
        `seed ${result.seed} ${checker}: ${problems.length} problems, first: ${problems[0]}`,
      );
    }
    if (!isSame) {
      this.nondeterministic++;
      lines.push(`seed ${result.seed}: two runs left different logs`);
    }
    if (lines.length === 0) return null;
    return [...lines, ...result.stacks.slice(0, 1), `  ${replay}`].join('\n');
  }

  /** Events that never happened, where there were seeds enough for all of them. */
  get never(): Sometimes[] {
    return this.seeds < 100 ? [] : SOMETIMES.filter((name) => this.sometimes[name] === 0);
  }

  /** Simulated seconds per second of one core, checks included. */
  get timesRealTime(): number {
    return this.cpuMs === 0 ? 0 : Math.round(this.simulatedMs / this.cpuMs);
  }

  get isGood(): boolean {
    return (
      this.violations === 0 &&
      this.nondeterministic === 0 &&
      this.canariesCaught === this.canariesTotal &&
      this.never.length === 0
    );
  }

  toJson(wallSeconds: number): string {
    return JSON.stringify({
      seeds: this.seeds,
      simulatedHours: Math.round((this.simulatedMs / 3_600_000) * 100) / 100,
      wallSeconds: Math.round(wallSeconds * 100) / 100,
      timesRealTime: this.timesRealTime,
      violations: this.violations,
      nondeterministic: this.nondeterministic,
      canariesCaught: this.canariesCaught,
      canariesTotal: this.canariesTotal,
      tasks: this.tasks,
      runs: this.runs,
      sometimes: this.sometimes,
      never: this.never,
      missed: this.missed,
      failures: this.failures,
    });
  }

  #canary({ caught, total, missed }: Answer & { kind: 'canary' }): string | null {
    this.canariesTotal += total;
    this.canariesCaught += caught;
    this.missed.push(...missed);
    return missed.length === 0 ? null : missed.map((each) => `not caught: ${each}`).join('\n');
  }
}
