import type { WorkerInfo } from '@signalbox/engine';
import {
  CLOSE,
  type FromWorker,
  labelsProblem,
  NAME_PATTERN,
  PROTOCOL_VERSION,
} from '@signalbox/protocol';
import type { GatewayLimits } from './limits.ts';

export type Hello = FromWorker & { kind: 'hello' };

export interface Refusal {
  readonly code: number;
  readonly reason: string;
}

const NAME = new RegExp(NAME_PATTERN);

/** The reason to refuse a worker with this `hello`, or null (h69). */
export function refusalOf(hello: Hello, limits: GatewayLimits): Refusal | null {
  if (hello.protocol !== PROTOCOL_VERSION) {
    return {
      code: CLOSE.protocol,
      reason: `this node supports protocol version ${PROTOCOL_VERSION}, not ${hello.protocol}`,
    };
  }
  const reason = problemOf(hello, limits);
  return reason === null ? null : { code: CLOSE.invalid, reason };
}

function problemOf(hello: Hello, limits: GatewayLimits): string | null {
  const { total, foreignUse } = hello;
  if (!NAME.test(hello.worker)) return 'the worker name is invalid';
  if (hello.executors.length > limits.executorsMax)
    return `a worker has at most ${limits.executorsMax} executors`;
  if (Object.keys(hello.labels).length > limits.labelsMax)
    return `a worker has at most ${limits.labelsMax} labels`;
  const problem = labelsProblem(hello.labels);
  if (problem !== null) return problem;
  for (const [field, amounts] of [
    ['total', total],
    ['foreignUse', foreignUse],
  ] as const) {
    if (amounts.slots > limits.slotsMax) return `${field}.slots exceeds ${limits.slotsMax}`;
    if (amounts.gpu > limits.gpuMax) return `${field}.gpu exceeds ${limits.gpuMax}`;
    const largest = Math.max(amounts.cpuMilli, amounts.memoryMb, amounts.diskMb);
    if (largest > limits.amountMax) return `an amount in ${field} exceeds ${limits.amountMax}`;
  }
  return null;
}

export function infoOf(hello: Hello): WorkerInfo {
  const { worker: name, instance, zone, labels, executors, total } = hello;
  return { name, instance, zone, labels, executors, total };
}
