import { describe, expect, it } from 'vitest';
import { Stage, statesOf } from './stage.ts';

describe('an absent store', () => {
  it('DUR-17 for 60 s: what waits is bounded, scheduling pauses, running work goes on, nothing is lost', async () => {
    const cap = 40;
    const workers = Array.from({ length: 20 }, () => 5);
    const stage = await Stage.set({
      nodes: 1,
      workers,
      engine: { assignmentsPerStep: 10 },
      loop: { pendingFactsMax: cap },
    });
    stage.submit('normal', 100);
    await stage.pass(400);
    const started = stage.events('start').length;
    expect(started).toBe(100);
    const [node] = stage.world.nodes;
    node!.way.away = true;
    const awayAt = stage.now;
    await stage.pass(10_000);
    stage.submit('quick', 20);
    await stage.pass(50_000);
    // Handlers ran to their end meanwhile, and nothing new was handed out.
    expect(stage.events('complete.sent')).toHaveLength(100);
    expect(stage.events('dispatch').filter((event) => event.t > awayAt)).toEqual([]);
    expect(node!.process!.loop.engine.core.pauseFrom).toBe(0);
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 120 });
    // No result was lost, so nothing had to run twice.
    expect(stage.events('start')).toHaveLength(120);
    const commits = new Map<string, number>();
    for (const { commitId, facts } of evidence.journal) {
      commits.set(commitId, (commits.get(commitId) ?? 0) + facts.length);
    }
    // The last command and one round of assignments may come on top of the cap.
    expect(Math.max(...commits.values())).toBeLessThanOrEqual(cap + 10 + 2);
  });
});
