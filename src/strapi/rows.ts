import type { CreateParams, DocumentParams, UpdateParams } from '../documents/params.js';
import type { DocumentService, RenderedEntry } from '../documents/types.js';
import { existingType } from '../schema/find.js';
import type { ContentType } from '../schema/types.js';
import { groupBy } from '../values/group.js';
import { isPlainObject, objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { Values } from './types.js';
import { refuse } from './unsupported.js';

/**
 * Marks the parameters of a call that stands for one of the query engine: no document middlewares are around it, and its
 * lifecycles are those of the query.
 */
export const BY_QUERY = Symbol('mangrove.query');

/** Parameters in the form of the Document Service. */
export interface RowParams {
  readonly _q?: unknown;
  readonly filters?: unknown;
  readonly fields?: unknown;
  readonly populate?: unknown;
  readonly sort?: unknown;
  readonly start?: unknown;
  readonly limit?: unknown;
}

type Status = 'draft' | 'published';

/** What `publishedAt` of the filters selects; both versions if they do not say. */
function statusesOf(type: ContentType, filters: unknown): readonly Status[] {
  if (!type.draftAndPublish) return ['published'];
  const { publishedAt } = objectAt(filters);
  if (publishedAt === undefined) return ['draft', 'published'];
  if (publishedAt === null) return ['draft'];
  const { $null, $notNull, $eq } = objectAt(publishedAt);
  if ($null === true || $notNull === false || $eq === null) return ['draft'];
  return ['published'];
}

/** `publishedAt` selects the version; in a draft it is always null. */
const withoutVersion = (filters: unknown): Values => {
  const { publishedAt, ...rest } = objectAt(filters);
  const { $gt, $gte, $lt, $lte, $between } = objectAt(publishedAt);
  const compared = Object.fromEntries(
    Object.entries({ $gt, $gte, $lt, $lte, $between }).filter(([, value]) => value !== undefined),
  );
  return Object.keys(compared).length === 0 ? rest : { ...rest, publishedAt: compared };
};

type Order = readonly (readonly [name: string, direction: 1 | -1])[];

/** The attributes of a sort, for rows of both versions, which are merged here. */
function orderOf(sort: unknown): Order {
  const list: readonly unknown[] = Array.isArray(sort)
    ? sort
    : sort === undefined || sort === null
      ? []
      : [sort];
  const orders = list.flatMap((one): Order => {
    const entries: readonly (readonly [string, unknown])[] = isPlainObject(one)
      ? Object.entries(one)
      : String(one)
          .split(',')
          .map((part) => [part.split(':')[0]?.trim() ?? '', part.split(':')[1] ?? 'asc']);
    return entries.map(([name, direction]) => {
      if (typeof direction !== 'string')
        return refuse('db.query.orderBy through a relation, of drafts and published versions at once');
      return [name, direction.toLowerCase() === 'desc' ? -1 : 1];
    });
  });
  return [...orders, ['id', 1]];
}

function compare(a: RenderedEntry, b: RenderedEntry, order: Order): number {
  for (const [name, direction] of order) {
    const [left, right] = [a[name], b[name]].map((value) =>
      value instanceof Date ? value.getTime() : value,
    );
    if (left === right) continue;
    if (left === null || left === undefined) return -direction;
    if (right === null || right === undefined) return direction;
    return (left < right ? -1 : 1) * direction;
  }
  return 0;
}

/** The entries of a type as rows with numeric ids, drafts and published versions side by side, as Strapi stores them. */
export class TypeRows {
  readonly type: ContentType;
  readonly documents: DocumentService;

  private readonly all: Live['documents']['together'];

  constructor(live: Live, uid: string) {
    this.type = existingType(live.schema, uid);
    this.documents = live.documents(uid);
    this.all = live.documents.together;
  }

  async find({ filters, start, limit, ...rest }: RowParams): Promise<readonly RenderedEntry[]> {
    const statuses = statusesOf(this.type, filters);
    const asked = { ...rest, ...this.everywhere(), filters: withoutVersion(filters) };
    const [only] = statuses;
    if (statuses.length === 1)
      return this.documents.findMany({
        ...asked,
        status: only,
        start,
        ...(limit !== undefined && { limit }),
      });
    const from = Number(start ?? 0);
    const most = limit === undefined || Number(limit) < 0 ? null : Number(limit);
    const order = orderOf(rest.sort);
    const sort = rest.sort ?? 'id';
    const lists = await Promise.all(
      statuses.map((status) =>
        this.documents.findMany({ ...asked, sort, status, ...(most !== null && { limit: from + most }) }),
      ),
    );
    return lists
      .flat()
      .sort((a, b) => compare(a, b, order))
      .slice(from, most === null ? undefined : from + most);
  }

  async count({ filters, _q }: Pick<RowParams, 'filters' | '_q'>): Promise<number> {
    const asked = { ...this.everywhere(), filters: withoutVersion(filters), ...(_q !== undefined && { _q }) };
    const counts = await Promise.all(
      statusesOf(this.type, filters).map((status) => this.documents.count({ ...asked, status })),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Creates a published document, as in Strapi, or a draft if `publishedAt` is null. */
  create(data: unknown, rest: Values): Promise<RenderedEntry> {
    return this.documents.create({ ...rest, ...this.created(data) });
  }

  /** Creates several, all or none. */
  async createMany(list: readonly unknown[]): Promise<readonly RenderedEntry[]> {
    const documentIds = await this.all(
      this.type.uid,
      list.map((data) => this.created(data)),
    );
    const rows = await this.find({
      fields: ['documentId', 'publishedAt'],
      filters: { documentId: documentIds },
    });
    const byDocument = new Map(rows.map((row) => [row['documentId'], row] as const));
    return documentIds.flatMap((documentId): readonly RenderedEntry[] => {
      const row = byDocument.get(documentId);
      return row ? [row] : [];
    });
  }

  /**
   * Updates the document of a row; of a published one, both versions. A date as `publishedAt` publishes a draft, and
   * null takes a published version back: the row is then the other version.
   */
  async update(row: RenderedEntry | undefined, data: unknown, rest: Values): Promise<RenderedEntry | null> {
    if (!row) return null;
    const { publishedAt, ...values } = objectAt(data);
    const isPublished = this.statusOf(row) === 'published';
    if (publishedAt !== null || !isPublished || !this.documents.unpublish)
      return this.documents.update({ ...rest, ...this.updated(row, data) });
    if (Object.keys(values).length > 0)
      refuse('db.query.update of publishedAt to null together with other attributes');
    await this.documents.unpublish(this.at(row));
    return this.documents.findOne({ ...rest, ...this.at(row), status: 'draft' });
  }

  /** Updates several, all or none; both versions of a document are one update. */
  async updateMany(rows: readonly RenderedEntry[], data: unknown): Promise<void> {
    if (objectAt(data)['publishedAt'] === null && this.type.draftAndPublish)
      refuse('db.query.updateMany of publishedAt to null (use documents.unpublish)');
    const published = rows.filter((row) => this.statusOf(row) === 'published');
    const isAlsoPublished = (row: RenderedEntry): boolean =>
      published.some((one) => one['documentId'] === row['documentId'] && one['locale'] === row['locale']);
    const drafts = rows.filter((row) => this.statusOf(row) === 'draft' && !isAlsoPublished(row));
    // A call is for one locale, and no document may be in the same transaction twice.
    for (const [, locale] of groupBy([...published, ...drafts], (row) => row['locale'] ?? null))
      await this.all(
        this.type.uid,
        locale.map((row) => this.updated(row, data)),
      );
  }

  /** Removes a published row, or a document that has only its draft. */
  async remove(row: RenderedEntry | undefined): Promise<RenderedEntry | null> {
    if (!row) return null;
    if (this.statusOf(row) === 'published' && this.documents.unpublish)
      await this.documents.unpublish(this.at(row));
    else {
      const { documentId } = this.at(row);
      const published =
        this.type.draftAndPublish &&
        (await this.count({ filters: { documentId, publishedAt: { $notNull: true } } }));
      if (published) refuse('db.query.delete of the draft of a published document (use documents.delete)');
      await this.documents.delete(this.at(row));
    }
    return row;
  }

  /** Removes several rows, one after the other: the published ones first, so that their drafts can go. */
  async removeMany(rows: readonly RenderedEntry[]): Promise<void> {
    const versions = groupBy(rows, (row) => this.statusOf(row));
    for (const status of ['published', 'draft'] as const)
      for (const row of versions.get(status) ?? []) await this.remove(row);
  }

  private created(data: unknown): CreateParams {
    const { publishedAt, locale, ...values } = objectAt(data);
    const status = this.type.draftAndPublish && publishedAt === null ? 'draft' : 'published';
    return { data: values, status, ...(typeof locale === 'string' && { locale }), [BY_QUERY]: true };
  }

  private updated(row: RenderedEntry, given: unknown): UpdateParams {
    const { publishedAt, ...data } = objectAt(given);
    const status = publishedAt ? 'published' : this.statusOf(row);
    return { ...this.at(row), status, data };
  }

  private statusOf(row: RenderedEntry): Status {
    return row['publishedAt'] === null && this.type.draftAndPublish ? 'draft' : 'published';
  }

  private at(row: RenderedEntry): DocumentParams {
    const { documentId, locale } = row;
    return { documentId: String(documentId), ...(this.type.localized && { locale }), [BY_QUERY]: true };
  }

  private everywhere(): object {
    return { ...(this.type.localized && { locale: '*' }), [BY_QUERY]: true };
  }
}
