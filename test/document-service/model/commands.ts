/** Random calls. They refer to documents by number, resolved when the call is made, among those that exist by then. */
import fc from 'fast-check';
import type { Method } from './model.js';
import { COMPONENTS, type Shape, type Shapes, TYPES, type TypeName } from './shape.js';
import type { Status } from './state.js';

export interface PickedRef {
  readonly number: number;
  /** Any document, including one that is deleted or lacks the locale. */
  readonly any: boolean;
  readonly by: 'documentId' | 'draft id' | 'published id';
  readonly locale: 'en' | 'fr' | null;
}

export type PickedPosition =
  | { readonly at: 'start' | 'end' | null }
  | { readonly at: 'before' | 'after'; readonly anchor: PickedRef };

export type PickedLinks =
  | { readonly form: 'null' }
  | { readonly form: 'list' | 'set'; readonly refs: readonly PickedRef[] }
  | {
      readonly form: 'change';
      readonly connect: readonly { readonly ref: PickedRef; readonly position: PickedPosition }[];
      readonly disconnect: readonly PickedRef[];
      readonly strict: boolean | null;
    };

export interface PickedItem {
  readonly uid: string;
  /** The number of an item of this entry, or of one elsewhere. */
  readonly own: number | null;
  readonly foreign: number | null;
  readonly data: PickedData;
}

/** By attribute: a value, the input of a relation, or component items. */
export interface PickedData {
  readonly scalars: Readonly<Record<string, string | number | null>>;
  readonly links: Readonly<Record<string, PickedLinks>>;
  readonly items: Readonly<Record<string, readonly PickedItem[]>>;
}

export interface Command {
  readonly type: TypeName;
  readonly method: Method;
  readonly number: number;
  readonly locale: string | readonly string[] | null;
  readonly status: Status | null;
  readonly data: PickedData;
}

const rarely = (every: number) => fc.nat(every).map((number) => number === every);
const number = fc.nat(5);

const ref: fc.Arbitrary<PickedRef> = fc.record({
  number,
  any: rarely(40),
  by: fc.constantFrom('documentId', 'documentId', 'documentId', 'draft id', 'published id'),
  locale: fc.constantFrom(null, null, 'en', 'fr'),
});
const refs = fc.array(ref, { maxLength: 3 });

const position: fc.Arbitrary<PickedPosition> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ at: null }) },
  fc.record({ at: fc.constantFrom('start' as const, 'end' as const) }),
  {
    weight: 2,
    arbitrary: fc.record({ at: fc.constantFrom('before' as const, 'after' as const), anchor: ref }),
  },
);

const links: fc.Arbitrary<PickedLinks> = fc.oneof(
  fc.constant({ form: 'null' as const }),
  { weight: 3, arbitrary: fc.record({ form: fc.constantFrom('list' as const, 'set' as const), refs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      form: fc.constant('change' as const),
      connect: fc.array(fc.record({ ref, position }), { maxLength: 3 }),
      disconnect: fc.array(ref, { maxLength: 1 }),
      strict: fc.constantFrom(null, null, true, false),
    }),
  },
);

const title = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<(string | null)[]>('a', 'b', 'c', 'd', '') },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant('too long') },
);

/** Only a few attributes of a type, so that most writes are small but a sequence of them covers much. */
function dataOf(shapes: Shapes): fc.Arbitrary<PickedData> {
  const of = <T>(kinds: readonly Shape['kind'][], arbitrary: (shape: Shape) => fc.Arbitrary<T>, rarity = 4) =>
    fc.record(
      Object.fromEntries(
        Object.entries(shapes)
          .filter(([, { kind }]) => kinds.includes(kind))
          .map(([name, shape]) => [name, sometimes(arbitrary(shape), rarity)]),
      ),
    );
  return fc
    .record({
      scalars: of<string | number | null>(['text', 'number'], ({ kind }) =>
        kind === 'text' ? title : fc.constantFrom(1, 2, null),
      ),
      links: of(['link', 'inverse'], () => links, 2),
      items: of(['items'], (shape) => (shape.kind === 'items' ? itemsOf(shape) : fc.constant([]))),
    })
    .map(({ scalars, links: linked, items }) => ({
      scalars: given(scalars),
      links: given(linked),
      items: given(items),
    }));
}

const NOTHING = Symbol('not given');
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, rarity: number): fc.Arbitrary<T | typeof NOTHING> =>
  fc.oneof({ weight: rarity, arbitrary: fc.constant(NOTHING) }, { weight: 1, arbitrary });
const given = <T>(values: Readonly<Record<string, T | typeof NOTHING>>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== NOTHING));

const itemsOf = ({ many, uids }: Extract<Shape, { kind: 'items' }>): fc.Arbitrary<readonly PickedItem[]> =>
  fc.array(
    fc.constantFrom(...uids).chain((uid) =>
      fc.record({
        uid: fc.constant(uid),
        own: fc.option(number, { freq: 2 }),
        foreign: fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: number }),
        data: dataOf(COMPONENTS[uid] ?? {}),
      }),
    ),
    { maxLength: many ? 3 : 1 },
  );

const METHODS: readonly { readonly method: Method; readonly weight: number }[] = [
  { method: 'update', weight: 9 },
  { method: 'publish', weight: 3 },
  { method: 'create', weight: 2 },
  { method: 'discardDraft', weight: 2 },
  { method: 'unpublish', weight: 1 },
  { method: 'delete', weight: 1 },
  { method: 'clone', weight: 1 },
];
const METHODS_WITHOUT_DRAFTS = METHODS.filter(({ method }) => !/publish|discard/.test(method));

const methodOf = (drafts: boolean): fc.Arbitrary<Method> =>
  fc.oneof(
    ...(drafts ? METHODS : METHODS_WITHOUT_DRAFTS).map(({ method, weight }) => ({
      weight,
      arbitrary: fc.constant(method),
    })),
  );

const locale = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(null, 'en', 'fr', 'fr', 'de') },
  { weight: 1, arbitrary: fc.constantFrom<string | string[]>('*', ['en', 'fr']) },
);

export const command: fc.Arbitrary<Command> = fc
  .constantFrom<TypeName[]>('page', 'page', 'book', 'book', 'book', 'writer', 'tag')
  .chain((type) =>
    fc.record({
      type: fc.constant(type),
      method: methodOf(TYPES[type].drafts),
      number,
      locale,
      status: fc.constantFrom<(Status | null)[]>(null, 'draft', 'published', 'published'),
      data: dataOf(TYPES[type].attributes),
    }),
  );

const refTo = (number: number): PickedRef => ({ number, any: false, by: 'documentId', locale: null });
const listOf = (...numbers: readonly number[]): PickedLinks => ({ form: 'list', refs: numbers.map(refTo) });

/** The initial content: some documents of each type, some of them published, and links between them. */
const FIRST: readonly { readonly type: TypeName; readonly links: Readonly<Record<string, PickedLinks>> }[] = [
  { type: 'page', links: { next: listOf(0), similar: listOf(1, 0), over: listOf(0) } },
  { type: 'writer', links: { friends: listOf(1, 0) } },
  { type: 'tag', links: { near: listOf(0, 1) } },
  { type: 'book', links: { writer: listOf(0), tags: listOf(2, 0), sequel: listOf(0), peers: listOf(1, 0) } },
];
const ALONE: Readonly<Partial<Record<TypeName, string>>> = { book: 'cover' };

export const beginning: readonly Command[] = FIRST.flatMap(({ type, links: linked }) =>
  (['published', 'draft', 'published'] as const).map((status, at): Command => {
    const alone = ALONE[type];
    return {
      type,
      method: 'create',
      number: 2,
      locale: null,
      status,
      data: {
        scalars: { documentId: `${type}${at}`, title: 'abc'[at] ?? '' },
        links: { ...linked, ...(alone && { [alone]: listOf(at) }) },
        items: {},
      },
    };
  }),
);
