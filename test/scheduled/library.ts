import type { Schema } from '../../src/schema/types.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});

export const FILES = [
  typeFile(
    'article',
    {
      title: { type: 'string', required: true },
      views: { type: 'integer' },
      secret: { type: 'string' },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    },
    { draftAndPublish: true },
  ),
  typeFile(
    'author',
    { name: { type: 'string' }, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) },
    { draftAndPublish: true },
  ),
  typeFile(
    'page',
    { title: { type: 'string', required: true, pluginOptions: { i18n: { localized: true } } } },
    { draftAndPublish: true, localized: true },
  ),
  typeFile('home', { title: { type: 'string' } }, { kind: 'singleType', draftAndPublish: true }),
  typeFile('tag', { name: { type: 'string' }, articles: relation('manyToMany', 'article') }),
];

export const library = (): Schema => schemaOf(...FILES);

export const ARTICLE = 'api::article.article';
export const AUTHOR = 'api::author.author';
export const PAGE = 'api::page.page';
export const HOME = 'api::home.home';
export const TAG = 'api::tag.tag';
