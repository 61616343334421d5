/**
 * The type of an answer, from the `fields` and `populate` of its query: using anything else does not compile.
 */
import type { FieldName, LinkName, ModelTypes } from './model.js';

/** Without `populate`: nothing. */
export type Nothing = readonly [];

type Names<List> = List extends readonly (infer Name)[] ? Name : List;

/** `id` and `documentId` are always included. */
type Chosen<Model extends ModelTypes, F> =
  '*' extends Names<F> ? FieldName<Model> : Extract<FieldName<Model>, Names<F> | 'id' | 'documentId'>;

type Head<Path> = Path extends `${infer First}.${string}` ? First : Path;
type Tail<Path, Name> = Path extends `${infer First}.${infer Rest}`
  ? First extends Name
    ? Rest
    : never
  : never;

type FieldsOf<Query> = Query extends { readonly fields: infer F } ? F : '*';
type PopulateOf<Query> = Query extends { readonly populate: infer P } ? P : Nothing;

/** The answer at the end of a link, selected by `true`, by the rest of a path, or by a nested query. */
type Reached<Model, Query> = Model extends ModelTypes
  ? [Query] extends [never]
    ? Answer<Model>
    : Query extends string
      ? Answer<Model, '*', readonly Query[]>
      : Query extends object
        ? Answer<Model, FieldsOf<Query>, PopulateOf<Query>>
        : Answer<Model>
  : never;

type ZoneQueries<Zone, Query> = Query extends { readonly on: infer On }
  ? { [Uid in keyof On & keyof Zone as On[Uid] extends false ? never : Uid]: On[Uid] }
  : { [Uid in keyof Zone]: Query extends { readonly populate: '*' } ? { readonly populate: '*' } : true };

type ZoneItem<Zone, Queries> = {
  [Uid in keyof Queries & keyof Zone]: { __component: Uid } & Reached<Zone[Uid], Queries[Uid]>;
}[keyof Queries & keyof Zone];

type AnyEntry = { __type: string; id: number; documentId: string; [attribute: string]: unknown };

type Linked<L, Query> = L extends { readonly one: infer One }
  ? Reached<One, Query> | null
  : L extends { readonly many: infer Many }
    ? Reached<Many, Query>[]
    : L extends { readonly zone: infer Zone }
      ? ZoneItem<Zone, ZoneQueries<Zone, Query>>[]
      : L extends { readonly any: 'many' }
        ? AnyEntry[]
        : AnyEntry | null;

type Populated<Model extends ModelTypes, P> = P extends '*'
  ? { [Name in LinkName<Model>]: Linked<Model['links'][Name & keyof Model['links']], true> }
  : P extends string | readonly unknown[]
    ? {
        [Name in LinkName<Model> as Name extends Head<Names<P>> ? Name : never]: Linked<
          Model['links'][Name & keyof Model['links']],
          Tail<Names<P>, Name>
        >;
      }
    : {
        [Name in keyof P & LinkName<Model> as P[Name] extends false ? never : Name]: Linked<
          Model['links'][Name & keyof Model['links']],
          P[Name]
        >;
      };

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

/** An entry as returned for these `fields` and this `populate`. */
export type Answer<Model extends ModelTypes, F = '*', P = Nothing> = Flat<
  Pick<Model['entry'], Chosen<Model, F> & keyof Model['entry']> & Populated<Model, P>
>;
