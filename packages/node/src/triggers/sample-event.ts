import type { CompiledTrigger } from './compile-trigger.ts';

const SAMPLE = 'test';

/**
 * An event with the given data that the trigger listens to, for trying it out: where the trigger
 * accepts several sources, types or subjects, the shortest that fits.
 */
export function sampleEvent(trigger: CompiledTrigger, data: unknown): Record<string, unknown> {
  const { name, hook, source, type, subject } = trigger;
  return {
    specversion: '1.0',
    id: SAMPLE,
    source: hook === null ? fitting(source) : `/hooks/${name}`,
    type: fitting(type),
    ...(subject === null ? {} : { subject: fitting(subject) }),
    data,
  };
}

function fitting(pattern: string | null): string {
  const text = pattern?.endsWith('*') ? pattern.slice(0, -1) : pattern;
  return text || SAMPLE;
}
