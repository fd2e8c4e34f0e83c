import type { Measurement } from '../measurement.ts';

/**
 * Leaves out the disturbed rounds of a system in a shape, where it has others. A glance at a machine
 * that is in use answers with what there is and a mark; only a report refuses.
 */
export function quietest(measurements: readonly Measurement[]): readonly Measurement[] {
  const of = ({ system, shape }: Measurement): string => `${shape}/${system}`;
  const quiet = new Set(measurements.filter(({ isDisturbed }) => !isDisturbed).map(of));
  return measurements.filter((each) => !each.isDisturbed || !quiet.has(of(each)));
}
