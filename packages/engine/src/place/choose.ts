import type { Random } from '../model/random.ts';
import type { Task } from '../model/run.ts';
import type { Shape } from '../model/shape.ts';
import type { Level, Worker, WorkerKind } from '../model/worker.ts';
import type { WorkerIndex } from '../model/worker-index.ts';
import type { PlacementSettings } from '../settings.ts';
import type { ZoneUse } from './rule.ts';
import {
  KIND_FILTERS,
  LEVEL_FILTERS,
  MOVING_SCORES,
  SOFT_WORKER_FILTERS,
  STANDING_SCORES,
  WORKER_FILTERS,
} from './rules.ts';

export interface Placement {
  readonly worker: Worker | null;
  readonly score: number;
  /** Levels looked at, and levels scored: what the budgets of PLC-04 bound. */
  readonly looked: number;
  readonly scored: number;
  /** Some worker had room and was refused by a rule about this very task: its shape is not to blame. */
  readonly onlyThisTask: boolean;
}

interface Question {
  readonly index: WorkerIndex;
  readonly task: Task;
  readonly zoneUse: ZoneUse;
  readonly settings: PlacementSettings;
  readonly random: Random;
}

/**
 * Filters, then scores. P0 wants a good worker now and looks at a sample; P2 wants the best fit and
 * looks at everything. A sample that finds nothing falls back to everything: a P0 task must not
 * wait because the dice missed the one free worker.
 */
export function choose(question: Question): Placement {
  const budget = question.settings.budgets[question.task.run.class];
  const first = search(question, budget, true);
  if (first.worker !== null) return first;
  const sampled = first.looked < question.index.levels.length;
  const all = sampled ? search(question, EVERYTHING, true) : first;
  if (all.worker !== null || question.task.lastWorker === null) return all;
  return search(question, EVERYTHING, false);
}

/** Not written to: this runs for every assignment, and few fleets are spread. */
const NO_ZONES: number[] = [];

interface Budget {
  readonly look: number;
  readonly score: number;
}

const EVERYTHING: Budget = { look: Number.POSITIVE_INFINITY, score: Number.POSITIVE_INFINITY };

/** `soft`: also by rules that give way where they leave nobody. */
function search(question: Question, budget: Budget, soft: boolean): Placement {
  const { index, task, settings } = question;
  const levels = index.levels;
  const start =
    budget.look < levels.length ? Math.floor(question.random.next() * levels.length) : 0;
  const spread = settings.weights.zoneSpread > 0 && index.zoneCount > 1;
  const byZone: number[] = spread ? [] : NO_ZONES;
  let best: Worker | null = null;
  let bestScore = -1;
  let looked = 0;
  let scored = 0;
  let onlyThisTask = false;
  while (looked < levels.length && looked < budget.look && scored < budget.score) {
    const at = start + looked++;
    const level = levels[at < levels.length ? at : at - levels.length] as Level;
    let score = level.standing[task.shape.id];
    if (score === undefined) {
      score = standing(task, level, question);
      level.standing[task.shape.id] = score;
    }
    if (score < 0) continue;
    scored++;
    if (spread) {
      // Even the best zone would not make up for it: most candidates end here.
      if (score + settings.weights.zoneSpread <= bestScore) continue;
      let zoneScore = byZone[level.kind.zoneId];
      if (zoneScore === undefined) {
        zoneScore = moving(task, level, question);
        byZone[level.kind.zoneId] = zoneScore;
      }
      score += zoneScore;
    }
    if (score <= bestScore) continue;
    const worker = memberFor(task, level, soft);
    if (worker === null) {
      onlyThisTask = true;
      continue;
    }
    best = worker;
    bestScore = score;
  }
  return { worker: best, score: bestScore, looked, scored, onlyThisTask };
}

/** Negative where the level is no candidate for the shape. */
function standing(task: Task, level: Level, question: Question): number {
  if (!admits(task.shape, level)) return -1;
  let sum = 0;
  for (const rule of STANDING_SCORES) {
    const subject = { task, level, zoneUse: question.zoneUse };
    sum += question.settings.weights[rule.name] * rule.score(subject);
  }
  return sum;
}

/** Depends on the zone only, so it is computed once per zone and search. */
function moving(task: Task, level: Level, question: Question): number {
  let sum = 0;
  for (const rule of MOVING_SCORES) {
    const subject = { task, level, zoneUse: question.zoneUse };
    sum += question.settings.weights[rule.name] * rule.score(subject);
  }
  return sum;
}

/** True where a worker of this level could take the shape. */
export function admits(shape: Shape, level: Level): boolean {
  return admitsKind(shape, level.kind) && LEVEL_FILTERS.every((rule) => rule.admits(shape, level));
}

/** True where this very worker could take this very task now. */
export function mayTake(task: Task, worker: Worker): boolean {
  if (worker.level === null || !admits(task.shape, worker.level)) return false;
  return WORKER_FILTERS.every((rule) => rule.admits(task, worker));
}

/** True where a worker of this kind could take the shape if it were empty. */
export function admitsKind(shape: Shape, kind: WorkerKind): boolean {
  return KIND_FILTERS.every((rule) => rule.admits(shape, kind));
}

function memberFor(task: Task, level: Level, soft: boolean): Worker | null {
  for (let i = level.members.length - 1; i >= 0; i--) {
    const worker = level.members[i] as Worker;
    if (!WORKER_FILTERS.every((rule) => rule.admits(task, worker))) continue;
    if (soft && !SOFT_WORKER_FILTERS.every((rule) => rule.admits(task, worker))) continue;
    return worker;
  }
  return null;
}
