import type { Db } from 'mongodb';
import type { Schema } from '../../src/schema/types.js';
import type { StoredVersion } from '../../src/store/history/versions.js';
import { groupBy } from '../../src/values/group.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});
const localized = { pluginOptions: { i18n: { localized: true } } };
const history = { options: { history: { days: 30, count: 50 } } };

/** Types that keep versions, related with each other and with one that does not. */
export const FILES = [
  componentFile('part.note', { text: { type: 'string' }, tag: relation('oneToOne', 'tag') }),
  typeFile(
    'article',
    {
      title: { type: 'string', required: true },
      views: { type: 'integer' },
      memo: { type: 'string', private: true },
      data: { type: 'json' },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'articles' }),
      notes: { type: 'component', repeatable: true, component: 'part.note' },
    },
    { draftAndPublish: true, ...history },
  ),
  typeFile(
    'author',
    { name: { type: 'string' }, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) },
    history,
  ),
  typeFile('tag', {
    name: { type: 'string', unique: true },
    articles: relation('manyToMany', 'article', { mappedBy: 'tags' }),
  }),
  typeFile(
    'page',
    { title: { type: 'string', required: true, ...localized }, shared: { type: 'integer' } },
    { draftAndPublish: true, localized: true, ...history },
  ),
  typeFile('home', { title: { type: 'string' } }, { kind: 'singleType', draftAndPublish: true, ...history }),
];

export const library = (): Schema => schemaOf(...FILES);

export const ARTICLE = 'api::article.article';
export const AUTHOR = 'api::author.author';
export const TAG = 'api::tag.tag';
export const PAGE = 'api::page.page';
export const HOME = 'api::home.home';

/** The collections of which versions are kept, with the status and the history of each. */
export const KEPT = [
  ['articles.drafts', 'draft', 'articles.history'],
  ['articles', 'published', 'articles.history'],
  ['authors', 'published', 'authors.history'],
  ['pages.drafts', 'draft', 'pages.history'],
  ['pages', 'published', 'pages.history'],
  ['homes.drafts', 'draft', 'homes.history'],
  ['homes', 'published', 'homes.history'],
] as const;

export type Row = Record<string, unknown>;

const byId = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => String(a['_id']).localeCompare(String(b['_id'])));

/** What is stored now, apart from revisions, which also change with other entries. */
export async function stored(db: Db): Promise<Record<string, Row[]>> {
  const all = KEPT.map(async ([collection]) => {
    const rows = await db.collection<Row>(collection).find({}, { promoteLongs: false }).toArray();
    return [collection, byId(rows.map(({ _rev, ...row }) => row as Row))] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** What the kept versions say was stored at a moment. */
export async function storedAt(db: Db, at: Date): Promise<Record<string, Row[]>> {
  const all = KEPT.map(async ([collection, status, history]) => {
    const filter = {
      '_version.status': status,
      '_version.from': { $lte: at },
      '_version.until': { $gt: at },
    };
    const rows = await db.collection<StoredVersion>(history).find(filter, { promoteLongs: false }).toArray();
    const entries = rows.map(({ _version, _rev, _write, ...row }): Row => ({ ...row, _id: _version.entry }));
    return [collection, byId(entries)] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** What is wrong with the kept versions by themselves; empty if nothing is. */
export async function flaws(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (const [collection, status, history] of KEPT) {
    const versions = await db
      .collection<StoredVersion>(history)
      .find({ '_version.status': status })
      .sort({ '_version.from': 1 })
      .toArray();
    const byEntry = groupBy(versions, ({ _version }) => String(_version.entry));
    for (const [entry, list] of byEntry)
      for (const [at, { _version }] of list.entries()) {
        const next = list[at + 1]?._version;
        if (_version.made === null) found.push(`${collection} ${entry}: a version that no write made`);
        if (next && next.from.getTime() !== _version.until.getTime())
          found.push(
            `${collection} ${entry}: ${_version.until.toISOString()}, then ${next.from.toISOString()}`,
          );
      }
    const names = versions.map(({ _version }) => String(_version.id));
    if (new Set(names).size < names.length) found.push(`${collection}: two versions of one name`);
    const entries = await db.collection<Row>(collection).find().toArray();
    for (const { _id, _rev } of entries) {
      const current = await db.collection<Row>(history).findOne({ _id: _id as never });
      if (String(current?.['_rev']) !== String(_rev)) found.push(`${collection} ${String(_id)}: not kept`);
    }
  }
  return found;
}
