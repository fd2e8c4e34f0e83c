import { drawOptions } from './world/options.ts';
import { simulate } from './simulate.ts';
const [seed, p, seq] = process.argv.slice(2).map(Number);
const { evidence: e, world } = await simulate(drawOptions(seed!, 30));
console.log(JSON.stringify(e.options));
const row = e.runs.find(r => r.run.id.partition === p && r.run.id.seq === seq)!;
console.log(row.run.tenant, row.run.job, 'P' + row.run.class, row.run.head, 'ms', row.run.id.ms);
for (const g of e.journal) if (g.partition === p) for (const f of g.facts) {
  const s = f.kind === 'fact' ? f.fact.seq : f.kind === 'endedAt' ? f.seq : f.kind === 'submittedAt' ? f.run.seq : f.runs.some(r => r.seq === seq) ? seq : -1;
  if (s === seq) console.log('t', g.t.toFixed(1), 'e' + g.epoch, 'g' + g.seq, g.commitId, JSON.stringify(f).slice(0, 170));
}
for (const n of world.nodes) { const pr = n.process; const core = pr!.loop.engine.core; const b = core.books.get(p!); if (!b) continue; console.log(pr!.owner, 'e' + b.epoch, 'now', core.now, [...core.workers.workers.values()].map(x => `${x.info.name}:${x.status}:free${x.free.slots}:att${x.attempts.length}:for${x.foreignUse.slots}`).join(' '), 'blocked', [...core.queues.blocked.values()].map(s => s.id)); const r = b.runs.get(seq!); if (r) console.log(r.state, r.doomed, r.openTasks, r.cancel, r.tasks.map(t => `${t.spec.name} ${t.state} att${t.attempts} due${t.dueAt - core.now} lane${t.lane !== null} waits${t.waitsFor} timer${t.timerAt - core.now} ${t.timerBucket !== null} attempt ${t.attempt ? t.attempt.workerName + ' ' + t.attempt.stopWhy + ' stop' + (t.attempt.stopAt - core.now) + ' w' + t.attempt.worker?.info.name : ''} `)); }
for (const ev of e.events) { const x = ev as any; if (x.ref && x.ref.partition === p && x.ref.seq === seq && ev.t > Number(process.argv[5] ?? 0)) console.log('  ', JSON.stringify(ev).slice(0, 200)); }
