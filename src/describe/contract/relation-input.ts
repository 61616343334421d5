/** How relations and media are written. */
import type { ContentType } from '../../schema/types.js';
import type { Describing } from './describing.js';
import { always, anyOf, flag, idOrText, integer, listOf, openRecord, orNull, text } from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

/** What distinguishes polymorphic relations: the types that their members may have. */
interface Polymorphic {
  readonly key: string;
  readonly types: readonly ContentType[];
}

/** The key comes first; the locale is optional. */
const BY_DOCUMENT: Schemas = { documentId: text, locale: orNull(text) };
const BY_ID: Schemas = { id: idOrText, locale: orNull(text) };
const requiredOf = (keys: Schemas): readonly string[] =>
  Object.keys(keys).filter((name) => name !== 'locale');

/** The value of a relation: references that replace all present ones, or changes to them. */
export function relationInput({ named }: Describing, polymorphic: Polymorphic | null): JsonSchema {
  const prefix = polymorphic ? 'Polymorphic' : '';
  const part = (name: string, make: () => JsonSchema): JsonSchema =>
    named(prefix + name, make, `${prefix}${name} ${polymorphic?.types.map(({ uid }) => uid) ?? ''}`);
  const mark: Schemas = polymorphic
    ? { __type: { ...text, enum: polymorphic.types.map(({ uid }) => uid) } }
    : {};
  const object = (name: string, keys: Schemas, more: Schemas = {}): JsonSchema =>
    part(name, () => openRecord({ ...keys, ...more, ...mark }, [...requiredOf(keys), ...Object.keys(mark)]));

  const target = named('ReferenceTarget', () =>
    anyOf(
      { ...text, description: 'A documentId, or the numeric id of an entry' },
      integer,
      named('DocumentTarget', () => openRecord(BY_DOCUMENT, requiredOf(BY_DOCUMENT))),
      named('IdTarget', () => openRecord(BY_ID, requiredOf(BY_ID))),
    ),
  );
  const place = (name: string, member: Schemas): JsonSchema => named(name, () => openRecord(member));
  const position = named('Position', () =>
    anyOf(
      place('PositionAtEnd', { end: always }),
      place('PositionAtStart', { start: always }),
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
    const more = { position, status: text };
    const long = [object('DocumentConnection', BY_DOCUMENT, more), object('IdConnection', BY_ID, more)];
    return anyOf(...(polymorphic ? [] : [text, integer]), ...long);
  });
  const change = part('RelationChange', () => ({
    description: '`set` replaces all references; `connect` and `disconnect` change the present ones',
    ...openRecord(
      {
        set: orNull(anyOf(connection, listOf(connection))),
        connect: orNull(anyOf(connection, listOf(connection))),
        disconnect: orNull(anyOf(connection, listOf(connection))),
        options: openRecord(
          {
            strict: {
              ...flag,
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
  return part('RelationInput', () => orNull(anyOf(reference, listOf(reference), change)));
}
