import crypto from 'node:crypto';
import {
  type About,
  attemptId,
  decodeBlobRef,
  type FromNode,
  taskId,
} from '@signalbox/protocol/link';
import type { Assign } from '../executor.ts';

type AssignFrame = FromNode & { readonly kind: 'assign' };

/** An assignment as executors see it. Derived values are computed when they are read. */
export class Assignment implements Assign {
  readonly #frame: AssignFrame;
  readonly #about: About;
  trace: string | undefined;

  constructor(frame: AssignFrame) {
    this.#frame = frame;
    this.#about = frame.about;
    this.trace = frame.trace;
  }

  get ref() {
    return this.#frame.ref;
  }
  get run() {
    return this.#frame.run;
  }
  get timeoutMs() {
    return this.#frame.timeoutMs;
  }
  get input() {
    return this.#frame.input;
  }
  get checkpoint() {
    return this.#frame.checkpoint;
  }
  get tenant() {
    return this.#about.tenant;
  }
  get job() {
    return this.#about.job;
  }
  get jobVersion() {
    return this.#about.jobVersion;
  }
  get parents() {
    return this.#frame.parents;
  }
  get window() {
    return this.#frame.window;
  }
  get task() {
    return this.#frame.task ?? this.#about.task;
  }
  get executor() {
    return this.#about.executor;
  }
  get work() {
    return this.#about.work;
  }
  get request() {
    return this.#about.request;
  }
  get class() {
    return this.#about.class;
  }
  get graceMs() {
    return this.#about.graceMs;
  }
  get id(): string {
    return attemptId(this.run, this.task, this.ref[3]);
  }
  get idempotencyKey(): string {
    return taskId(this.run, this.task);
  }
  /** Of the payload itself, also if the frame contains a reference to it. */
  get inputHash(): string {
    const { input } = this.#frame;
    if (input === null) return EMPTY_HASH;
    return decodeBlobRef(input)?.sha256 ?? crypto.hash('sha256', input, 'hex');
  }
}

const EMPTY_HASH = crypto.hash('sha256', '', 'hex');
