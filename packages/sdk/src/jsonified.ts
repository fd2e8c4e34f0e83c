import type { Bytes } from '@signalbox/protocol';

type Primitive = string | number | boolean | null | undefined;
// biome-ignore lint/suspicious/noExplicitAny: any function, whatever it takes.
type AnyFunction = (...args: any[]) => unknown;
/** What JSON does not carry, and what is therefore refused: nothing of it can come back. */
type Lost =
  | bigint
  | symbol
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | PromiseLike<unknown>
  | AnyFunction;

/**
 * A value as it comes back after it was JSON: a `Date` is text, members that JSON does not carry are not there.
 * What a handler returns and what a run's result is differ by exactly this.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: what a handler gives that returns nothing.
export type Jsonified<T> = T extends Primitive | void
  ? T
  : T extends { toJSON(): infer Json }
    ? Jsonified<Json>
    : T extends Lost
      ? never
      : T extends readonly unknown[]
        ? { [Index in keyof T]: Jsonified<T[Index]> }
        : T extends object
          ? {
              [Key in keyof T as T[Key] extends AnyFunction | symbol ? never : Key]: Jsonified<
                T[Key]
              >;
            }
          : T;

/**
 * What may be submitted to a handler that takes `T`: values whose JSON is `T`. A `Date` may be given where the
 * handler takes text; a handler that says that it takes a `Date` or a `Map` can be given nothing, since it would
 * get text, or an object without members.
 */
export type Submittable<T> = unknown extends T
  ? T
  : T extends Bytes
    ? T
    : T extends string
      ? string extends T
        ? T | { toJSON(): string }
        : T
      : T extends Primitive
        ? T
        : T extends Lost | { toJSON(): unknown }
          ? never
          : T extends readonly unknown[]
            ? { [Index in keyof T]: Submittable<T[Index]> }
            : T extends object
              ? { [Key in keyof T]: Submittable<T[Key]> }
              : never;
