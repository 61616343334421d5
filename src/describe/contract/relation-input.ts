/** How relations and media are written. */
import type { ContentType } from '../../schema/types.js';
import type { Describing } from './describing.js';
import {
  anyOf,
  arrayOf,
  booleanSchema,
  idOrText,
  integerSchema,
  openObjectOf,
  schemaOrNull,
  stringSchema,
  trueSchema,
} from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

/** What distinguishes polymorphic relations: the types that their members may have. */
interface Polymorphic {
  readonly key: string;
  readonly types: readonly ContentType[];
}

/** The key comes first; the locale is optional. */
const BY_DOCUMENT: Schemas = { documentId: stringSchema, locale: schemaOrNull(stringSchema) };
const BY_ID: Schemas = { id: idOrText, locale: schemaOrNull(stringSchema) };
const requiredOf = (keys: Schemas): readonly string[] =>
  Object.keys(keys).filter((name) => name !== 'locale');

/** The value of a relation: references that replace all present ones, or changes to them. */
export function relationInput({ named }: Describing, polymorphic: Polymorphic | null): JsonSchema {
  const prefix = polymorphic ? 'Polymorphic' : '';
  const part = (name: string, make: () => JsonSchema): JsonSchema =>
    named(prefix + name, make, `${prefix}${name} ${polymorphic?.types.map(({ uid }) => uid) ?? ''}`);
  const mark: Schemas = polymorphic
    ? { __type: { ...stringSchema, enum: polymorphic.types.map(({ uid }) => uid) } }
    : {};
  const object = (name: string, keys: Schemas, more: Schemas = {}): JsonSchema =>
    part(name, () =>
      openObjectOf({ ...keys, ...more, ...mark }, [...requiredOf(keys), ...Object.keys(mark)]),
    );

  const target = named('ReferenceTarget', () =>
    anyOf(
      { ...stringSchema, description: 'A documentId, or the numeric id of an entry' },
      integerSchema,
      named('DocumentTarget', () => openObjectOf(BY_DOCUMENT, requiredOf(BY_DOCUMENT))),
      named('IdTarget', () => openObjectOf(BY_ID, requiredOf(BY_ID))),
    ),
  );
  const place = (name: string, member: Schemas): JsonSchema => named(name, () => openObjectOf(member));
  const position = named('Position', () =>
    anyOf(
      place('PositionAtEnd', { end: trueSchema }),
      place('PositionAtStart', { start: trueSchema }),
      place('PositionBefore', { before: target }),
      place('PositionAfter', { after: target }),
    ),
  );
  const reference = part('Reference', () =>
    polymorphic
      ? anyOf(object('DocumentReference', BY_DOCUMENT), object('IdReference', BY_ID))
      : {
          ...target,
          description: 'A document: its documentId, or the numeric id of an entry, alone or in an object',
        },
  );
  const connection = part('Connection', () => {
    const more = { position, status: stringSchema };
    const long = [object('DocumentConnection', BY_DOCUMENT, more), object('IdConnection', BY_ID, more)];
    return anyOf(...(polymorphic ? [] : [stringSchema, integerSchema]), ...long);
  });
  const change = part('RelationChange', () => ({
    description: '`set` replaces all references; `connect` and `disconnect` change the present ones',
    ...openObjectOf(
      {
        set: schemaOrNull(anyOf(connection, arrayOf(connection))),
        connect: schemaOrNull(anyOf(connection, arrayOf(connection))),
        disconnect: schemaOrNull(anyOf(connection, arrayOf(connection))),
        options: openObjectOf(
          {
            strict: {
              ...booleanSchema,
              default: true,
              description: 'False: a position next to something that is not connected means at the end',
            },
          },
          [],
        ),
      },
      [],
    ),
  }));
  return part('RelationInput', () => schemaOrNull(anyOf(reference, arrayOf(reference), change)));
}
