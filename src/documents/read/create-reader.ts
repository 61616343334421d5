/** The one read path, for REST and the Document Service (docs/architecture.md, "The life of a request"). */

import { errors } from '../../errors.js';
import type { Doc } from '../../pipeline/types.js';
import type { Output } from '../../render/bytes/output.js';
import { ambiguous } from '../../store/adopted/keys.js';
import type { VersionMark } from '../../store/history/versions.js';
import { paginationOf } from './pagination.js';
import type { Reader } from './reader.js';
import { each, type ReaderOptions, Reads } from './reads.js';

/** The documentId of no document. */
const NO_DOCUMENT = '';

const docsOf = (json: Output): readonly Doc[] => json.values() as Doc[];

const severalStatuses = () =>
  errors.validation(
    'versions-not-populated',
    'Relations of versions can be populated if status is draft or published, or of a single version',
    { key: 'populate', path: null, source: 'query', param: 'populate' },
  );

/** Every method throws an `ApiError` if the query is invalid. */
export function createReader(options: ReaderOptions): Reader {
  const { store } = options;
  const reads = new Reads(options);
  return {
    prepare: (request) => reads.prepare(request),
    async list(request) {
      const { plan, json, result, timings } = await reads.answer('list', request);
      return { data: docsOf(json), pagination: paginationOf(plan.page, result), timings };
    },
    async one(request, documentId) {
      const { json, rows, timings, validator } = await reads.answer('one', request, documentId);
      if (rows > 1) throw ambiguous(request.type, documentId);
      return { data: docsOf(json)[0] ?? null, timings, validator };
    },
    async single(request) {
      const { json, timings, validator } = await reads.answer('single', request);
      return { data: docsOf(json)[0] ?? null, timings, validator };
    },
    async json(request, of) {
      const documentId = 'documentId' in of ? of.documentId : null;
      const target = 'documentId' in of ? 'one' : of.target;
      const found = await reads.answer(target, request, documentId);
      const { plan, json, rows, result, timings, validator, unchanged } = found;
      if (target === 'list') {
        json.before('[');
        json.ascii(']');
        return { json, pagination: paginationOf(plan.page, result), timings };
      }
      if (rows > 1 && documentId !== null) throw ambiguous(request.type, documentId);
      return { json: rows === 0 ? null : json, pagination: null, timings, validator, unchanged };
    },
    async versions(request) {
      const prepared = reads.prepareFor(request, 'list');
      const { plan, render, populates } = prepared.read;
      if (populates && (request.versions?.statuses.length ?? 0) > 1) throw severalStatuses();
      const reader = render();
      const writer = reader.open(request.budget && populates ? request.budget.limits : null, { bytes: 0 });
      const about = await reads.runAs(prepared, { request, documentId: null, reader }, (rows) =>
        each(rows, request, (row) => {
          writer.write(row);
          return { mark: reader.member(row, '_version'), locale: reader.member(row, 'locale') };
        }),
      );
      const entries = docsOf(writer.out);
      return {
        data: about.data.map(({ mark, locale }, at) => ({
          mark: mark as VersionMark,
          locale: typeof locale === 'string' ? locale : null,
          entry: entries[at] ?? {},
        })),
        pagination: paginationOf(plan.page, about.result),
        timings: about.timings,
      };
    },
    count: (request) => reads.count(request),
    holds: (request, entry) => reads.holds(request, entry),
    view(request) {
      const prepared = reads.prepareFor(request, 'written');
      const { node, plan, render, populates } = prepared.read;
      const read = async (documentId: string) =>
        docsOf((await reads.run(prepared, request, documentId)).json)[0] ?? null;
      return {
        query: node,
        plan,
        populates,
        timings: prepared.timings,
        // Which collections are sharded is known to the server alone. It refuses the joins of a read before it
        // looks for the document.
        checkReadable: async () => {
          if (populates && store.refusesJoins) await read(NO_DOCUMENT);
        },
        read,
        show: async (documentId, entry) => (populates ? read(documentId) : render().entry(entry)),
      };
    },
  };
}
