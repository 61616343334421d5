import type { Schema } from '../../src/schema/types.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

export const OWNER = 'api::owner.owner';
export const TARGET = 'api::target.target';
export const PAGE = 'api::page.page';
export const HOME = 'api::home.home';
export const MARK = 'api::mark.mark';

const relation = (kind: string, target: string, more: object) => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
});
const shared = { pluginOptions: { i18n: { localized: false } } };
const localized = { pluginOptions: { i18n: { localized: true } } };

/** Types whose rules extend beyond one entry: unique values, one-to-one, shared attributes, a single document. */
export const shapeSchema = (options: object = {}): Schema =>
  schemaOf(
    componentFile('part.tag', { tag: { type: 'string', unique: true } }),
    typeFile(
      'owner',
      {
        title: { type: 'string' },
        code: { type: 'uid' },
        tags: { type: 'component', component: 'part.tag', repeatable: true },
        partner: relation('oneToOne', TARGET, { inversedBy: 'holder' }),
        marks: relation('manyToMany', MARK, { inversedBy: 'owners' }),
      },
      { draftAndPublish: true, options },
    ),
    typeFile(
      'target',
      { title: { type: 'string' }, holder: relation('oneToOne', OWNER, { mappedBy: 'partner' }) },
      { draftAndPublish: true, options },
    ),
    typeFile(
      'mark',
      {
        title: { type: 'string' },
        owners: relation('manyToMany', OWNER, { mappedBy: 'marks' }),
      },
      { options },
    ),
    typeFile(
      'page',
      { title: { type: 'string', ...localized }, kind: { type: 'string', ...shared } },
      { draftAndPublish: true, localized: true, options },
    ),
    typeFile(
      'home',
      { title: { type: 'string', ...localized }, kind: { type: 'string', ...shared } },
      { kind: 'singleType', draftAndPublish: true, localized: true, options },
    ),
  );
