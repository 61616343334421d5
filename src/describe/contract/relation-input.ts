/** How relations and media are written (rules F.1, F.2). */
import type { ContentType } from '../../schema/types.js';
import type { Describing } from './describing.js';
import { anyOf, flag, integer, listOf, openRecord, orNull, text } from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

/** What tells a polymorphic relation from others: the types that its members may name. */
interface Polymorphic {
  readonly key: string;
  readonly types: readonly ContentType[];
}

/** A reference to what a relation takes: references that replace all there are, or changes to them. */
export function relationInput({ named }: Describing, polymorphic: Polymorphic | null): JsonSchema {
  const prefix = polymorphic ? 'Polymorphic' : '';
  const part = (name: string, make: () => JsonSchema): JsonSchema =>
    named(`${prefix}${name}`, `${prefix} ${name} ${polymorphic?.types.map(({ uid }) => uid) ?? ''}`, make);
  const mark: Schemas = polymorphic
    ? { __type: { ...text, enum: polymorphic.types.map(({ uid }) => uid) } }
    : {};
  const marked = Object.keys(mark);
  const object = (keys: Schemas, required: string, more: Schemas = {}): JsonSchema =>
    openRecord({ ...keys, ...more, ...mark }, [required, ...marked]);
  const locale = { locale: orNull(text) };
  const number = { type: ['integer', 'string'] };
  const byDocument = { documentId: text, ...locale };
  const byId = { id: number, ...locale };

  const target = named('ReferenceTarget', 'reference target', () =>
    anyOf(
      { ...text, description: 'A documentId, or the numeric id of an entry' },
      integer,
      openRecord(byDocument, ['documentId']),
      openRecord(byId, ['id']),
    ),
  );
  const position = named('Position', 'position', () =>
    anyOf(
      openRecord({ end: { ...flag, enum: [true] } }),
      openRecord({ start: { ...flag, enum: [true] } }),
      openRecord({ before: target }),
      openRecord({ after: target }),
    ),
  );
  const reference = part('Reference', () =>
    polymorphic
      ? anyOf(object(byDocument, 'documentId'), object(byId, 'id'))
      : {
          ...target,
          description: 'A document: its documentId, or the numeric id of an entry, alone or in an object',
        },
  );
  const connection = part('Connection', () => {
    const more = { position, status: text };
    const long = [object(byDocument, 'documentId', more), object(byId, 'id', more)];
    return anyOf(...(polymorphic ? [] : [text, integer]), ...long);
  });
  const change = part('RelationChange', () => ({
    description: '`set` replaces all; `connect` and `disconnect` change what is there',
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
              description: 'False: beside what is not connected means at the end',
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
