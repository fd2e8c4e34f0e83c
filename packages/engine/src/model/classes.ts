/** The three classes of work. Between them order is strict: a P0 task never waits behind P1 or P2. */
export const CLASSES = ['P0', 'P1', 'P2'] as const;
export type ClassName = (typeof CLASSES)[number];
/** Index into CLASSES; what the engine and the store carry. */
export type Class = 0 | 1 | 2;
export const DEFAULT_CLASS: Class = 1;

export function parseClass(name: string): Class | null {
  const index = (CLASSES as readonly string[]).indexOf(name);
  return index < 0 ? null : (index as Class);
}
