/** What files can define, in the order in which it is applied: schedules and triggers name a job. */
export const KINDS = {
  Job: { collection: 'jobs', word: 'job' },
  Schedule: { collection: 'schedules', word: 'schedule' },
  Trigger: { collection: 'triggers', word: 'trigger' },
} as const;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

export function isKind(text: unknown): text is Kind {
  return typeof text === 'string' && Object.hasOwn(KINDS, text);
}

/** `job nightly`. */
export function titleOf({ kind, name }: { kind: Kind; name: string }): string {
  return `${KINDS[kind].word} ${name}`;
}
