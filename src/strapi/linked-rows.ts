import type { InnerContext } from '../documents/middleware.js';
import {
  type Link,
  type LinkAttribute,
  NONE,
  type Position,
  parseLinkValue,
  targetUid,
} from '../documents/plan/relation-input.js';
import { scriptRequest } from '../documents/read/script-request.js';
import { targetLocale } from '../documents/resolve/targets.js';
import { ApiError } from '../errors.js';
import { paramsQuery } from '../query/query.js';
import type { ContentType } from '../schema/types.js';
import { isAbsent } from '../values/absent.js';
import { objectAt, textOf } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { Values } from './types.js';

type Status = 'draft' | 'published';

/** Rows of one version and locale that links lead to. */
interface Wanted {
  readonly target: ContentType;
  readonly status: Status;
  readonly locale: string | null;
}

/** A value with its links replaced, in the form that Strapi gives it; undefined if it is to stay as it is. */
function withLinks(
  attribute: LinkAttribute,
  value: unknown,
  replace: (link: Link) => readonly object[],
): unknown {
  // Null is a set of none, and is shown as it is.
  const input = isAbsent(value) ? NONE : parseLinkValue(attribute, value);
  if (input.kind === 'set') return { set: input.links.flatMap(replace) };
  if (input.kind !== 'change') return undefined;
  const { connect, disconnect } = objectAt(value);
  return {
    ...objectAt(value),
    ...(!isAbsent(connect) && { connect: input.connect.flatMap(replace) }),
    ...(!isAbsent(disconnect) && { disconnect: input.disconnect.flatMap(replace) }),
  };
}

const shownPosition = ({ given }: Position): object => (given === null ? {} : { position: given });

/** As many as one filter may name. */
const MOST = 500;

/** The ids of rows by documentId. */
async function idsOf(
  wanted: Wanted,
  documentIds: readonly string[],
  reader: InnerContext['reader'],
): Promise<ReadonlyMap<unknown, unknown>> {
  if (documentIds.length > MOST) {
    const parts = [documentIds.slice(0, MOST), documentIds.slice(MOST)];
    const maps = await Promise.all(parts.map((part) => idsOf(wanted, part, reader)));
    return new Map(maps.flatMap((map) => [...map]));
  }
  const { target, status, locale } = wanted;
  const asked = { fields: ['documentId'], status, ...(locale !== null && { locale }) };
  const request = (more: object) => scriptRequest(target, paramsQuery({ ...asked, ...more }, 'service'));
  const one = async (id: string) => (await reader.one(request({}), id)).data;
  const rows = await reader.list(request({ filters: { documentId: { $in: documentIds } } })).then(
    ({ data }) => data,
    (error: unknown) => {
      // A transaction reads what it has changed by documentId only.
      if (error instanceof ApiError && error.code === 'transaction-read')
        return Promise.all(documentIds.map(one));
      throw error;
    },
  );
  return new Map(rows.flatMap((row) => (row ? [[row['documentId'], row['id']]] : [])));
}

/**
 * The relations and files of data as Strapi's query engine has them when lifecycles run: `{ set: [{ id }] }` with the
 * ids of rows, however the caller named them. Those in components stay as they are, and so does the name of a document
 * that does not exist, which the write refuses.
 * @param status of the row that has them; null: its type has no drafts, and links lead to both versions
 */
export async function linkedRows(
  data: Values,
  { contentType: type, reader }: Pick<InnerContext, 'contentType' | 'reader'>,
  { status, locale }: { readonly status: Status | null; readonly locale: unknown },
  { schema, config }: Pick<Live, 'schema' | 'config'>,
): Promise<Values> {
  const wanted = new Map<
    string,
    Wanted & { readonly documentIds: Set<string>; ids?: ReadonlyMap<unknown, unknown> }
  >();
  const rowsWanted = (attribute: LinkAttribute, link: Link) => {
    const target = schema.contentTypes.get(targetUid(attribute, link.type));
    // The write refuses a type that does not exist. A document of another program has no ids of rows.
    if (!target || target.storage) return [];
    const source = { type, locale: textOf(locale) };
    const { defaultLocale } = config.plugins.i18n;
    const at = targetLocale(source, target, link.locale, defaultLocale);
    const versions: readonly Status[] = target.draftAndPublish
      ? status
        ? [status]
        : ['draft', 'published']
      : ['published'];
    return versions.map((version) => {
      const key = JSON.stringify([target.uid, version, at]);
      const known = wanted.get(key) ?? {
        target,
        status: version,
        locale: at,
        documentIds: new Set<string>(),
      };
      wanted.set(key, known);
      return known;
    });
  };
  const attributes = [...type.attributes.values()].filter(
    (attribute): attribute is LinkAttribute =>
      attribute.kind === 'media' ||
      // The link of `morphToOne` is part of the row itself.
      (attribute.kind === 'relation' && attribute.relation !== 'morphToOne'),
  );
  for (const attribute of attributes)
    withLinks(attribute, data[attribute.name], (link) => {
      const { documentId } = link;
      if (documentId !== null)
        for (const { documentIds } of rowsWanted(attribute, link)) documentIds.add(documentId);
      return [];
    });
  await Promise.all(
    [...wanted.values()].map(async (one) => {
      one.ids = await idsOf(one, [...one.documentIds], reader);
    }),
  );
  return Object.fromEntries(
    attributes.flatMap((attribute) => {
      const shown = withLinks(attribute, data[attribute.name], (link) => {
        const { documentId, id, type: __type, position } = link;
        const rest = { ...(__type !== null && { __type }), ...shownPosition(position) };
        if (documentId === null) return [{ id, ...rest }];
        const rows = rowsWanted(attribute, link).flatMap(({ ids }) => {
          const row = ids?.get(documentId);
          return row === undefined ? [] : [{ id: row, ...rest }];
        });
        return rows.length > 0
          ? rows
          : [{ documentId, ...(link.locale !== null && { locale: link.locale }), ...rest }];
      });
      return shown === undefined ? [] : [[attribute.name, shown]];
    }),
  );
}
