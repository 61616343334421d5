import type { DocumentService, RenderedEntry } from '../documents/types.js';
import { schemaAttribute } from '../query/attributes.js';
import { existingType } from '../schema/find.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { queryParams } from './query-params.js';
import type { Callable, Values } from './types.js';
import { withRefused } from './unsupported.js';

/**
 * `strapi.entityService`: calls of the Document Service by numeric id, as in Strapi 5. Without a status, reads
 * are of drafts; without `publishedAt: null`, what is created is published; an update keeps what it finds.
 */
export function entityServiceOf(live: () => Live, query: (uid: string) => Values): Values {
  const documents = (uid: string): DocumentService => live().documents(uid);
  const rowOf = async (uid: string, id: unknown): Promise<RenderedEntry | null> => {
    const { findOne }: Values = query(uid);
    return (findOne as (params: Values) => Promise<RenderedEntry | null>)({ where: { id } });
  };
  const statusOf = (uid: string, row: Values): 'draft' | 'published' =>
    existingType(live().schema, uid).draftAndPublish && row['publishedAt'] === null ? 'draft' : 'published';
  /** The version decides `publishedAt`, not the data. */
  const dataOf = (params: Values): Values => {
    const { publishedAt: _, ...data } = objectAt(params['data']);
    return data;
  };
  const documentOf = (row: RenderedEntry): { documentId: string } => ({
    documentId: String(row['documentId']),
  });
  const call = (method: unknown, ...args: unknown[]): unknown => (method as Callable)(...args);
  return withRefused<Values>(
    'entityService',
    {
      findOne: async (uid: string, id: unknown, params: Values = {}) => {
        const row = await rowOf(uid, id);
        return row && documents(uid).findOne({ ...params, ...documentOf(row) });
      },
      findMany: (uid: string, params: Values = {}) =>
        existingType(live().schema, uid).kind === 'singleType'
          ? documents(uid).findFirst(params)
          : documents(uid).findMany(params),
      findPage: async (uid: string, params: Values = {}) =>
        call(query(uid)['findPage'], queryParams(params, existingType(live().schema, uid))),
      load: async (uid: string, entity: unknown, field: unknown, params: Values = {}) => {
        if (typeof field !== 'string')
          throw new TypeError(`Invalid load. Expected "${field}" to be a string`);
        return call(query(uid)['load'], entity, field, params);
      },
      loadPages: async (uid: string, ...[entity, field, params, pagination]: readonly unknown[]) => {
        const attribute = schemaAttribute(existingType(live().schema, uid), String(field));
        if (attribute?.kind !== 'relation' || !attribute.many)
          throw new TypeError(`Invalid load. Expected "${field}" to be an anyToMany relational attribute`);
        return call(query(uid)['loadPages'], entity, field, { ...objectAt(params), ...objectAt(pagination) });
      },
      count: (uid: string, params: Values = {}) => documents(uid).count(params),
      create: (uid: string, params: Values) =>
        documents(uid).create({
          ...params,
          data: dataOf(params),
          status: statusOf(uid, objectAt(params['data'])),
        }),
      update: async (uid: string, id: unknown, params: Values) => {
        const row = await rowOf(uid, id);
        return (
          row &&
          documents(uid).update({
            ...params,
            ...documentOf(row),
            data: dataOf(params),
            status: statusOf(uid, row),
          })
        );
      },
      delete: async (uid: string, id: unknown, params: Values = {}) => {
        const row = await rowOf(uid, id);
        if (row) await documents(uid).delete({ ...params, ...documentOf(row) });
        return row;
      },
    },
    'all',
  );
}
