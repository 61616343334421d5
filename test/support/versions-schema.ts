import type { Schema } from '../../src/schema/types.js';
import { componentFile, schemaOf, typeFile } from './schemas.js';

const relation = (kind: string, target: string | null, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target && { target: `api::${target}.${target}` }),
  ...more,
});
const localized = { pluginOptions: { i18n: { localized: true } } };

/** Books with Draft & Publish, shelves without, pages with locales. */
export const library = (): Schema =>
  schemaOf(
    componentFile('part.note', {
      text: { type: 'string' },
      code: { type: 'string', unique: true },
      pin: { type: 'password', encryption: { rounds: 4 } },
    }),
    componentFile('part.chapter', {
      title: { type: 'string', required: true },
      length: { type: 'integer', default: 7 },
      notes: { type: 'component', repeatable: true, component: 'part.note' },
      see: relation('oneToMany', 'book'),
    }),
    typeFile(
      'book',
      {
        title: { type: 'string', required: true },
        isbn: { type: 'string', unique: true },
        secret: { type: 'password' },
        data: { type: 'json' },
        sold: { type: 'biginteger' },
        price: { type: 'decimal' },
        author: relation('manyToOne', 'author', { inversedBy: 'books' }),
        tags: relation('manyToMany', 'tag', { inversedBy: 'books' }),
        cover: relation('oneToOne', 'cover', { inversedBy: 'book' }),
        sequel: relation('oneToOne', 'book', { inversedBy: 'prequel' }),
        prequel: relation('oneToOne', 'book', { mappedBy: 'sequel' }),
        about: relation('morphToMany', null),
        chapters: { type: 'component', repeatable: true, component: 'part.chapter' },
        first: { type: 'component', component: 'part.chapter' },
        zone: { type: 'dynamiczone', components: ['part.note', 'part.chapter'] },
      },
      { draftAndPublish: true },
    ),
    typeFile(
      'author',
      { name: { type: 'string' }, books: relation('oneToMany', 'book', { mappedBy: 'author' }) },
      { draftAndPublish: true },
    ),
    typeFile(
      'cover',
      { name: { type: 'string' }, book: relation('oneToOne', 'book', { mappedBy: 'cover' }) },
      { draftAndPublish: true },
    ),
    typeFile('tag', {
      name: { type: 'string', unique: true },
      books: relation('manyToMany', 'book', { mappedBy: 'tags' }),
      mentions: relation('morphMany', 'book', { morphBy: 'about' }),
    }),
    typeFile('kind', {
      count: { type: 'integer', unique: true },
      big: { type: 'biginteger', unique: true },
      price: { type: 'decimal', unique: true },
      at: { type: 'datetime', unique: true },
      day: { type: 'date', unique: true },
      slug: { type: 'uid' },
    }),
    typeFile(
      'home',
      { title: { type: 'string', required: true, ...localized }, theme: { type: 'string' } },
      { kind: 'singleType', draftAndPublish: true, localized: true },
    ),
    typeFile(
      'page',
      {
        title: { type: 'string', required: true, ...localized },
        views: { type: 'integer' },
        parts: { type: 'component', repeatable: true, component: 'part.note' },
        author: relation('manyToOne', 'author'),
      },
      { draftAndPublish: true, localized: true },
    ),
  );

export const KIND = 'api::kind.kind';
export const HOME = 'api::home.home';
export const BOOK = 'api::book.book';
export const AUTHOR = 'api::author.author';
export const COVER = 'api::cover.cover';
export const TAG = 'api::tag.tag';
export const PAGE = 'api::page.page';
