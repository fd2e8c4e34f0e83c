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
 * A value after a round trip through JSON: a `Date` is a string, members that JSON cannot represent are absent.
 * This is how the result of a run differs from the return value of the handler.
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
 * What can be submitted to a handler that takes `T`: values whose JSON is `T`. A `Date` can be submitted if the
 * handler takes a string. A handler that declares a `Date` or a `Map` accepts no value, because it would
 * receive a string, or an object without members.
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
