import type { Checked, Page, Warning } from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import type { Caller, NodeContext } from '../../context/index.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import {
  type Changed,
  changeNamed,
  checkNamed,
  deleted,
  type Kind,
  type ListParams,
  listNamed,
  type Named,
  type Next,
  noneNamed,
  pausedOrNot,
  readNamed,
  requireName,
} from './named-definitions.ts';

export type ByName = { readonly name: string } & Expected;

/** `{ job, outcome }` for jobs: the definition as it is shown, under the name of its kind. */
export type Saved<K extends Kind, Shown> = Readonly<Record<K, Shown>> & {
  readonly outcome: Changed['outcome'];
};

/** A request to save a definition, validated. */
export interface Prepared<Body extends object, Result> {
  readonly next: Next<Body>;
  readonly warnings?: readonly Warning[];
  /** Called before the definition is stored. */
  beforeSave?(): Promise<void>;
  /** Completes the result when the definition is durable. */
  afterSave?(saved: Result): Result | Promise<Result>;
}

interface KindParams<K extends Kind, Body extends object, Shown, Request, Written> {
  readonly kind: K;
  show(context: NodeContext, definition: Definition): Shown;
  /** The definition as its author writes it. */
  fromStored(body: Body): Written;
  prepare(
    context: NodeContext,
    caller: Caller,
    request: Request,
  ): Promise<Prepared<Body, Saved<K, Shown>>>;
  /** Applies a durable change on this node, before the response. */
  apply?(context: NodeContext, definition: Definition): void | Promise<void>;
  /** What a change of an existing definition means, shown in its response. */
  effectOf?(before: Definition, now: Definition): Partial<Shown>;
  /** Pauses what the body contains besides its own field. */
  pauseBody?(body: Body, isPaused: boolean): Body;
  /** A deleted definition counts as missing, and deleting returns the definition as it was. */
  readonly hidesDeleted?: true;
}

/** The operations on one kind of definition: save, check, get, list, pause, resume and delete. */
export function definedKind<
  K extends Kind,
  Body extends object,
  Shown extends { readonly name: string },
  Request extends { readonly name: string; readonly expected?: Expected },
  Written,
>(params: KindParams<K, Body, Shown, Request, Written>) {
  const { kind, hidesDeleted = false } = params;
  const named = (name: string): Named => ({ kind, name });

  const change = async (
    context: NodeContext,
    caller: Caller,
    request: ByName & { readonly next: Next<Body> },
  ): Promise<Saved<K, Shown>> => {
    const { before, now, outcome } = await changeNamed(context, caller, { ...request, kind });
    if (outcome !== 'unchanged') await params.apply?.(context, now);
    const shown = params.show(context, hidesDeleted && now.deleted ? (before as Definition) : now);
    const isEdit = outcome === 'changed' && before !== null;
    const value = isEdit ? { ...shown, ...params.effectOf?.(before, now) } : shown;
    return { [kind]: value, outcome } as Saved<K, Shown>;
  };

  const changing = (nextOf: (name: string) => Next<Body>) =>
    operation(
      async (context, caller, request: ByName): Promise<Shown> =>
        (await change(context, caller, { ...request, next: nextOf(request.name) }))[kind],
    );

  const pausing = (isPaused: boolean) =>
    changing((name) => (current) => {
      const body = pausedOrNot(named(name), isPaused)(current) as ReturnType<Next<Body>>;
      if (body === null || typeof body === 'string') return body;
      return params.pauseBody?.(body, isPaused) ?? body;
    });

  return {
    change,
    changing,

    /** Creates a definition or changes it; an identical definition keeps its version. */
    save: operation(async (context, caller, request: Request): Promise<Saved<K, Shown>> => {
      const { name, expected } = request;
      requireName(named(name));
      const prepared = await params.prepare(context, caller, request);
      await prepared.beforeSave?.();
      const saved = await change(context, caller, { name, ...expected, next: prepared.next });
      return prepared.afterSave?.(saved) ?? saved;
    }),

    /** Validates a definition and returns what saving it would change; stores nothing. */
    check: operation(async (context, caller, request: Request): Promise<Checked<Written>> => {
      requireName(named(request.name));
      const { next, warnings = [] } = await params.prepare(context, caller, request);
      const show = params.fromStored;
      const checked = await checkNamed(context, caller, { ...named(request.name), next, show });
      return warnings.length === 0 ? checked : { ...checked, warnings: [...warnings] };
    }),

    /** The newest version or the given one, also of a deleted definition. */
    get: operation(
      async (context, caller, request: { name: string; version?: number }): Promise<Shown> => {
        const found = await readNamed(context, caller, { ...request, kind });
        if (hidesDeleted && found.deleted) throw noneNamed(named(request.name));
        return params.show(context, found);
      },
    ),

    list: operation(
      paged(
        `${kind}s`,
        (context, caller, request: ListParams): Promise<Page<Shown>> =>
          listNamed(context, caller, {
            ...request,
            kind,
            show: (definition) => params.show(context, definition),
          }),
      ),
    ),

    pause: pausing(true),
    resume: pausing(false),

    /** Deletion keeps versions, runs and history. */
    remove: changing((name) => deleted(named(name))),
  };
}
