import { describe, expect, it } from 'vitest';
import type { Comparison } from '../compare.ts';
import { FULL } from '../shapes/sizes.ts';
import { summarize } from '../summary.ts';
import { measured, SYSTEMS } from '../testing/lines.ts';
import { renderMarkdown } from './markdown.ts';
import { merge } from './record.ts';
import { renderPlot } from './svg.ts';
import { replaceReport } from './write-report.ts';

function comparison(rate: number, isDisturbed = false): Comparison {
  const measurements = [
    measured({ system: 'signalbox', figures: { rate }, cpu: 0.4, isDisturbed }),
    measured({ system: 'signalbox', round: 1, figures: { rate: rate + 10_000 }, cpu: 0.4 }),
    measured({ system: 'fast-peer', figures: { rate: 20_000 }, cpu: 1 }),
  ];
  return {
    environment: {
      date: '2026-01-01',
      hardware: 'a machine',
      node: 'v24',
      postgres: '18',
      settings: { postgres: { fsync: 'on' }, redis: {} },
      systems: [{ name: 'fast-peer', version: '1.0.0', words: 'as fast as it can', tunings: {} }],
    },
    sizes: FULL,
    measurements,
    lines: summarize(measurements),
  };
}

describe('the report', () => {
  it('shows medians, ranges and ratios, and which figures are reached', () => {
    const text = renderMarkdown(merge(null, comparison(45_000)), SYSTEMS);
    expect(text).toContain('| signalbox | 50,000 | 45,000–55,000 | 2.5× |');
    expect(text).toContain(
      '| Steady state over the API, worker in its own process | 2× | 3× | 2.5× | must |',
    );
    expect(text).toContain('| half | a third | 0.4× | must |');
    expect(text).toContain('- **fast-peer** (1.0.0): as fast as it can.');
    expect(text).toMatch(/Drain of 100,000 .*not measured/);
    expect(text).toMatch(/^Not measured at full size so far: .*`drain`.*\.$/m);
    expect(text).not.toMatch(/so far: .*`steady`/);
  });

  it('says where a figure is not reached, and which are disturbed', () => {
    const text = renderMarkdown(merge(null, comparison(1_000, true)), SYSTEMS);
    expect(text).toContain('| 2× | 3× | 0.3× (disturbed) | **no** |');
    expect(text).toContain('| signalbox (disturbed) |');
  });

  it('keeps shapes that were not measured again', () => {
    const drain = comparison(1);
    const old = merge(null, {
      ...drain,
      lines: drain.lines.map((line) => ({ ...line, shape: 'drain' as const })),
    });
    const both = merge(old, comparison(2));
    expect(both.shapes.map(({ shape }) => shape)).toEqual(['steady', 'drain']);
  });

  it('keeps the settings of shapes that were not measured again', () => {
    const tuned = (batch: number) => ({ config: {}, load: { batch, inflight: 1, cap: 1 } });
    const withBatch = (batch: number): Comparison => {
      const made = comparison(1);
      const [system] = made.environment.systems;
      if (system === undefined) throw new Error('there is no system');
      const tunings = { steady: tuned(batch), drain: tuned(batch) };
      return {
        ...made,
        environment: { ...made.environment, systems: [{ ...system, tunings }] },
      };
    };
    const drain = withBatch(1);
    const old = merge(null, {
      ...drain,
      lines: drain.lines.map((line) => ({ ...line, shape: 'drain' as const })),
    });
    const [system] = merge(old, withBatch(2)).environment.systems;
    expect(system?.tunings).toEqual({ steady: tuned(2), drain: tuned(1) });
  });

  it('says beside its name what a system does instead of what the shape is about', () => {
    const made = comparison(45_000);
    const [system] = made.environment.systems;
    if (system === undefined) throw new Error('there is no system');
    const load = { batch: 1, inflight: 1, cap: 1 };
    const tunings = { steady: { config: {}, load, instead: 'single tasks' } };
    const environment = { ...made.environment, systems: [{ ...system, tunings }] };
    const text = renderMarkdown(merge(null, { ...made, environment }), SYSTEMS);
    expect(text).toContain('| fast-peer (single tasks) | 20,000 |');
  });

  it('replaces what stands between its marks and nothing else', () => {
    const page = '# Page\n\n<!-- peers: begin -->\nold\n<!-- peers: end -->\n\nrest\n';
    const once = replaceReport(page, 'new');
    expect(once).toBe('# Page\n\n<!-- peers: begin -->\n\nnew\n\n<!-- peers: end -->\n\nrest\n');
    expect(replaceReport(once, 'new')).toBe(once);
    expect(replaceReport('# Page\n', 'new')).toMatch(/^# Page\n\n## .*\n\n<!-- peers: begin -->/);
  });
});

describe('a plot', () => {
  it('has a bar for each system, as long as its median', () => {
    const svg = renderPlot('steady', comparison(45_000).lines);
    const widths = [...svg.matchAll(/class="(?:own|peer)" .*?width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toHaveLength(2);
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(2.5, 1);
    expect(svg).toContain('prefers-color-scheme: dark');
  });
});
