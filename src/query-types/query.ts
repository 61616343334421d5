/** The query language for one model: unknown attributes and operators do not compile. */
import type { FieldName, LinkName, ModelTypes, Target } from './model.js';

/** The operand of a comparison. A date is sent in ISO format. */
type Operand<Value> = string extends Value ? Value | Date : Value;

interface Comparisons<Value> {
  readonly $eq?: Value | null | readonly Value[];
  readonly $ne?: Value | null | readonly Value[];
  readonly $in?: readonly Value[];
  readonly $notIn?: readonly Value[];
  readonly $lt?: Value;
  readonly $lte?: Value;
  readonly $gt?: Value;
  readonly $gte?: Value;
  readonly $between?: readonly [Value, Value];
  readonly $null?: boolean;
  readonly $notNull?: boolean;
}

interface TextComparisons {
  readonly $eqi?: string;
  readonly $nei?: string;
  readonly $contains?: string;
  readonly $notContains?: string;
  readonly $containsi?: string;
  readonly $notContainsi?: string;
  readonly $startsWith?: string;
  readonly $startsWithi?: string;
  readonly $endsWith?: string;
  readonly $endsWithi?: string;
}

/** The operators of an attribute, with those for text only if it is text. */
export type Operators<Value> = Comparisons<Operand<Value>> &
  (Value extends string ? TextComparisons : unknown) & { readonly $not?: FilterValue<Value> };

export type FilterValue<Value> = Operand<Value> | null | readonly Operand<Value>[] | Operators<Value>;

/** A document by numeric id. */
type KeyCondition = number | string | null | readonly (number | string)[] | Comparisons<number | string>;

type LinkFilter<L> = [Target<L>] extends [never] ? never : Filters<Target<L>> | KeyCondition;

export type Filters<Model extends ModelTypes> = {
  readonly [Name in FieldName<Model>]?: Name extends keyof Model['entry']
    ? FilterValue<NonNullable<Model['entry'][Name]>>
    : never;
} & {
  readonly [Name in LinkName<Model>]?: Name extends keyof Model['links']
    ? LinkFilter<Model['links'][Name]>
    : never;
} & {
  readonly $and?: readonly Filters<Model>[];
  readonly $or?: readonly Filters<Model>[];
  readonly $not?: Filters<Model> | readonly Filters<Model>[];
};

type Direction = 'asc' | 'desc';

type LinkedField<Model extends ModelTypes> = {
  [Name in keyof Model['links'] & string]: `${Name}.${FieldName<Target<Model['links'][Name]>>}`;
}[keyof Model['links'] & string];

type SortPath<Model extends ModelTypes> = FieldName<Model> | LinkedField<Model>;
type SortKey<Model extends ModelTypes> = SortPath<Model> | `${SortPath<Model>}:${Direction}`;

type SortObject<Model extends ModelTypes> = {
  readonly [Name in FieldName<Model>]?: Direction;
} & {
  readonly [Name in LinkName<Model>]?: Name extends keyof Model['links']
    ? SortObject<Target<Model['links'][Name]>>
    : never;
};

/** A path with a direction, or an object for paths of more than one link. */
export type Sort<Model extends ModelTypes> =
  | SortKey<Model>
  | readonly (SortKey<Model> | SortObject<Model>)[]
  | SortObject<Model>;

export type Fields<Model extends ModelTypes> = '*' | FieldName<Model> | readonly ('*' | FieldName<Model>)[];

type PopulatePath<Model extends ModelTypes> = {
  [Name in keyof Model['links'] & string]:
    | Name
    | ([Target<Model['links'][Name]>] extends [never]
        ? never
        : `${Name}.${LinkName<Target<Model['links'][Name]>>}`);
}[keyof Model['links'] & string];

interface Nested<Model extends ModelTypes> {
  readonly fields?: Fields<Model>;
  readonly populate?: Populate<Model>;
  readonly filters?: Filters<Model>;
  readonly sort?: Sort<Model>;
}

interface ZoneItems<Zone> {
  readonly populate?: '*';
  readonly on?: {
    readonly [Uid in keyof Zone]?: boolean | (Zone[Uid] extends ModelTypes ? Nested<Zone[Uid]> : never);
  };
}

type PopulateLink<L> =
  | boolean
  | (L extends { readonly zone: infer Zone }
      ? ZoneItems<Zone>
      : [Target<L>] extends [never]
        ? never
        : Nested<Target<L>>);

/**
 * Everything one level deep, paths of names, or options for each link. Paths of three and more links must be
 * written as objects.
 */
export type Populate<Model extends ModelTypes> =
  | '*'
  | PopulatePath<Model>
  | readonly PopulatePath<Model>[]
  | { readonly [Name in keyof Model['links']]?: PopulateLink<Model['links'][Name]> };

type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never;
type MemberOf<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? Shape[Key] : never) : never;

/**
 * `Given` if it has only members of `Shape`; other members become `never`, to which nothing can be assigned.
 */
export type Exact<Given, Shape> = Given extends
  | string
  | number
  | boolean
  | null
  | undefined
  | Date
  | readonly unknown[]
  ? Given
  : {
      readonly [Key in keyof Given]: Key extends KeyOf<Extract<Shape, object>>
        ? Exact<Given[Key], MemberOf<Extract<Shape, object>, Key>>
        : never;
    };

/** The parameters of a read besides `fields` and `populate`, which determine the type of its answer. */
export interface Selection<Model extends ModelTypes> {
  readonly filters?: Filters<Model>;
  readonly sort?: Sort<Model>;
  /** `scheduled`: as they will be at the time `at`. */
  readonly status?: 'draft' | 'published' | 'scheduled';
  readonly locale?: string;
  /** A time in the past, for types with `options.history`: the entries as they were then; ISO 8601. */
  readonly at?: string;
  readonly _q?: string;
}

/** The parameters that determine the type of the answer. */
export interface TypedSelection<Model extends ModelTypes, F, P> {
  readonly fields?: F;
  readonly populate?: P & Exact<P, Populate<Model>>;
}
