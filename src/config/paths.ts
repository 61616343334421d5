import type { Config } from './types.js';

type Scalar = string | number | boolean | null | undefined;
/** Members that are settings themselves and not groups of them: values, lists, and records with keys of the project's. */
type IsGroup<T> = T extends Scalar | readonly unknown[] ? false : string extends keyof T ? false : true;

type PathIn<C, T> = {
  [K in keyof C & string]:
    | (T extends C[K] ? K : never)
    | (true extends IsGroup<NonNullable<C[K]>> ? `${K}.${PathIn<NonNullable<C[K]>, T>}` : never);
}[keyof C & string];

/** The dotted paths of `Config` to settings that take a `T`. */
export type PathTo<T> = PathIn<Config, T>;

/** A part of a value, at any depth; lists are whole. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

export type ConfigOverrides = DeepPartial<Config>;
