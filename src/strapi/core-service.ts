import type { DocumentService } from '../documents/types.js';
import type { ContentType } from '../schema/types.js';
import type { Live } from './live.js';
import { pageOf } from './page.js';
import type { Callable, Values } from './types.js';

/** The core service of a type: what its core controller uses, on the Document Service. */
export function coreServiceOf(live: () => Live, type: ContentType): Values {
  const documents = (): DocumentService => live().documents(type.uid);
  const params = (given: unknown): Values => ({ status: 'published', ...Object(given) });
  const removed = async (service: DocumentService, given: Values & { documentId: string }) => {
    const { entries } = await service.delete(given);
    return { deletedEntries: entries.length };
  };
  const single = async (): Promise<string | null> => {
    const found = await documents().findFirst({ fields: ['documentId'], status: 'draft' });
    return found ? String(found['documentId']) : null;
  };
  const typed: Record<string, Callable> =
    type.kind === 'singleType'
      ? {
          find: (given) => documents().findFirst(params(given)),
          createOrUpdate: async (given) => {
            const documentId = await single();
            const { data } = Object(given);
            return documentId === null
              ? documents().create({ ...params(given), data })
              : documents().update({ ...params(given), documentId, data });
          },
          delete: async (given) => {
            const documentId = await single();
            return documentId === null
              ? { deletedEntries: 0 }
              : removed(documents(), { ...params(given), documentId });
          },
          getDocumentId: single,
        }
      : {
          find: async (given) => {
            const asked = params(given);
            const page = pageOf(asked['pagination'], live().config.rest);
            const results = await documents().findMany({ ...asked, ...page.window });
            const total = page.counts ? await documents().count(asked) : null;
            return { results, pagination: page.shown(total) };
          },
          findOne: (documentId, given) =>
            documents().findOne({ ...params(given), documentId: String(documentId) }),
          create: (given) => documents().create({ ...params(given), data: Object(given).data }),
          update: (documentId, given) =>
            documents().update({
              ...params(given),
              documentId: String(documentId),
              data: Object(given).data,
            }),
          delete: (documentId, given) =>
            removed(documents(), { ...params(given), documentId: String(documentId) }),
        };
  return { getFetchParams: params, ...typed };
}
