import { type Answer, type Command, formatRunId, type RunId } from '@signalbox/engine';
import type { Submitted } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../context.ts';
import { slicesOf } from '../loop/index.ts';
import { type Put, putInbox, putRequest } from './put-inbox.ts';
import { refusal, shown } from './refusals.ts';
import { type TakenBefore, takenBefore } from './taken-before.ts';

type Submit = Command & { kind: 'submit' };
type Outcome = Put | { readonly kind: 'created'; readonly run: RunId };

interface Decided {
  readonly commands: readonly Submit[];
  readonly answers: readonly Answer[];
  readonly single: boolean;
}

/** What became of a batch that is not all new runs: some were there, or belong to another node. */
export async function settleBatch(
  context: NodeContext,
  caller: Caller,
  decided: Decided,
): Promise<Submitted[]> {
  const { commands } = decided;
  // Under the key of one request everything is as it was; a key of its own may be of another job.
  const strict = decided.single || commands[0]?.head.batch !== undefined;
  const outcomes = await outcomesOf(context, decided);
  const existing = outcomes.flatMap((outcome) => (outcome.kind === 'run' ? [outcome.run] : []));
  const known = (await takenBefore(context, caller.tenant, existing)).values();
  return outcomes.map((outcome, i) => {
    const command = commands[i] as Submit;
    const { job } = command.spec;
    if (outcome.kind === 'entry') return { id: outcome.alias, job, created: true };
    const id = formatRunId(outcome.run);
    if (outcome.kind === 'created') return { id, job, created: true };
    const taken = known.next().value ?? null;
    refuseOtherContent(command, taken, { id, strict });
    // A key may belong to a run of another job: whoever repeats it must not be told otherwise.
    return { id, job: taken?.job ?? job, created: false };
  });
}

async function outcomesOf(
  context: NodeContext,
  { commands, answers }: Decided,
): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(commands.length);
  for (const { indexes } of slicesOf(commands)) {
    const elsewhere: number[] = [];
    for (const i of indexes) {
      const answer = answers[i] as Answer;
      if (answer.kind === 'accepted') outcomes[i] = { kind: 'created', run: answer };
      else if (answer.kind === 'duplicate') outcomes[i] = { kind: 'run', run: answer };
      else if (answer.kind !== 'refused') throw new ApiError('internal', 'it was not answered');
      else if (answer.code === 'not_owner') elsewhere.push(i);
      else throw refusal(answer);
    }
    const waiting = elsewhere.map((i) => commands[i] as Submit);
    for (const [at, put] of (await putAll(context, waiting)).entries()) {
      outcomes[elsewhere[at] as number] = put;
    }
  }
  return outcomes;
}

async function putAll(context: NodeContext, commands: readonly Submit[]): Promise<Put[]> {
  const { key, batch } = commands[0]?.head ?? {};
  if (key !== undefined && batch !== undefined) return putRequest(context, { commands, key });
  const puts: Put[] = [];
  for (const command of commands) puts.push(await putInbox(context, command));
  return puts;
}

/** A key says that this was asked before: what asks for something else under it is refused. */
function refuseOtherContent(
  { head, spec }: Submit,
  taken: TakenBefore | null,
  { id, strict }: { id: string; strict: boolean },
): void {
  // Nothing is left of the run to compare with.
  if (taken === null) return;
  if (head.batch !== undefined && head.batch !== taken.head.batch) {
    throw new ApiError('conflict', 'the key belongs to another batch', { field: 'key' });
  }
  if (!strict || taken.job === spec.job) return;
  const message = `the key belongs to run ${id} of the job ${shown(taken.job)}`;
  throw new ApiError('conflict', message, { field: 'key' });
}
