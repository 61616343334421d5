/** The query language (rules B to D) over the attributes of one model: what it does not have does not compile. */
import type { FieldName, LinkName, ModelTypes, Target } from './model.js';

/** What an attribute is compared with. A date is sent as its ISO form. */
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

/** The operators that an attribute takes (rules B.2): those of text only where it is text. */
export type Operators<Value> = Comparisons<Operand<Value>> &
  (Value extends string ? TextComparisons : unknown) & { readonly $not?: Condition<Value> };

export type Condition<Value> = Operand<Value> | null | readonly Operand<Value>[] | Operators<Value>;

/** A document by its numeric id (rules B.6). */
type KeyCondition = number | string | null | readonly (number | string)[] | Comparisons<number | string>;

type LinkFilter<L> = [Target<L>] extends [never] ? never : Filters<Target<L>> | KeyCondition;

export type Filters<Model extends ModelTypes> = {
  readonly [Name in FieldName<Model>]?: Name extends keyof Model['entry']
    ? Condition<NonNullable<Model['entry'][Name]>>
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

/** As a path with a direction, or an object where the path is longer than one link. */
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

/** Everything one level deep, paths of names, or what is wanted of each link. Paths of three and more links are written as objects. */
export type Populate<Model extends ModelTypes> =
  | '*'
  | PopulatePath<Model>
  | readonly PopulatePath<Model>[]
  | { readonly [Name in keyof Model['links']]?: PopulateLink<Model['links'][Name]> };

type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never;
type MemberOf<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? Shape[Key] : never) : never;

/** `Given` where it has nothing that `Shape` does not name; a member that it does not name is `never`, which nothing is. */
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

/** What a read takes beside `fields` and `populate`, which say what its answer has. */
export interface Selection<Model extends ModelTypes> {
  readonly filters?: Filters<Model>;
  readonly sort?: Sort<Model>;
  readonly status?: 'draft' | 'published';
  readonly locale?: string;
  readonly _q?: string;
}

/** The parts of a query that say what the answer has. */
export interface Shown<Model extends ModelTypes, F, P> {
  readonly fields?: F;
  readonly populate?: P & Exact<P, Populate<Model>>;
}
