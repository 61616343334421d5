import { expect } from 'chai';
import { checkInputKeys } from '../../src/documents/validate/input-keys.js';
import { ApiError } from '../../src/errors.js';
import { buildModels } from './models.js';

const { schema, type } = buildModels({
  note: {
    title: { type: 'string' },
    hidden: { type: 'string', private: true },
    fixed: { type: 'string', writable: false },
    meta: { type: 'json' },
    cover: { type: 'media' },
    seo: { type: 'component', component: 'shared.tag' },
    tags: { type: 'component', component: 'shared.tag', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.tag'] },
    notes: { type: 'relation', relation: 'manyToMany', target: 'api::note.note' },
    user: { type: 'relation', relation: 'oneToOne', target: 'plugin::users-permissions.user' },
    any: { type: 'relation', relation: 'morphToMany' },
    anyOne: { type: 'relation', relation: 'morphToOne' },
  },
});

const caller = { grants: { version: '1', allows: (action: string) => action === 'api::note.note.find' } };

const check = (data: unknown): ApiError | null => {
  try {
    checkInputKeys(data, type('note'), schema, caller);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};

describe('documents/validate: keys of a body', () => {
  const refused: [unknown, string, string | null | undefined][] = [
    [{ id: 1 }, 'id', undefined],
    [{ documentId: 'x' }, 'documentId', undefined],
    [{ nope: 1 }, 'nope', null],
    [[{ title: 'x' }, { nope: 1 }], 'nope', null],
    [JSON.parse('{"__proto__":1}'), '__proto__', null],
    [{ toString: 1 }, 'toString', null],
    [{ createdAt: 'x' }, 'createdAt', 'createdAt'],
    [{ updatedBy: null }, 'updatedBy', 'updatedBy'],
    [{ localizations: [] }, 'localizations', 'localizations'],
    [{ fixed: 'x' }, 'fixed', 'fixed'],
    [{ seo: { bogus: 1 } }, 'bogus', 'seo'],
    [{ seo: { __component: 'shared.tag' } }, '__component', 'seo'],
    [{ tags: [{ label: 'x' }, { bogus: 'x' }] }, 'bogus', 'tags'],
    [{ zone: [{ __component: 'shared.tag', bogus: 1 }] }, 'bogus', 'zone'],
    [{ zone: [{ __component: 'shared.tag', owner: null }] }, 'owner', 'zone.owner'],
    [{ notes: { foo: 1 } }, 'foo', 'notes'],
    [{ notes: [{ documentId: 'x', status: 'draft' }] }, 'status', 'notes'],
    [{ notes: [{ id: 1, position: { end: true } }] }, 'position', 'notes'],
    [{ notes: [['x']] }, '0', 'notes'],
    [{ notes: ['x', ['y', { foo: 1 }]] }, '0', 'notes'],
    [{ cover: [[1]] }, '0', 'cover'],
    [{ tags: [[{ label: 'x' }]] }, '0', 'tags'],
    [{ user: 1 }, 'user', 'user'],
    [{ user: null }, 'user', 'user'],
    [{ any: [{ id: 1 }] }, 'any', 'any'],
    [{ any: ['x'] }, 'any', 'any'],
    [{ any: [{ __type: 'plugin::users-permissions.user', id: 1 }] }, 'any', 'any'],
    [{ any: { connect: [{ id: 1 }] } }, 'any', 'any'],
    [{ anyOne: { __type: 'api::note.note', id: 1 } }, 'anyOne', 'anyOne'],
    [{ cover: { id: 1, bogus: 1 } }, 'bogus', 'cover'],
    [{ nope: 1, fixed: 'x' }, 'fixed', 'fixed'],
    [{ user: null, seo: { bogus: 1 } }, 'bogus', 'seo'],
  ];
  for (const [data, key, path] of refused)
    it(`refuses ${JSON.stringify(data)}`, () => {
      const details = path === undefined ? { key, source: 'body' } : { key, path, source: 'body' };
      const message = path && path !== key ? `Invalid key ${key} at ${path}` : `Invalid key ${key}`;
      expect(check(data)).to.deep.include({ status: 400, name: 'ValidationError', message, details });
    });

  const accepted: unknown[] = [
    {},
    null,
    { title: 'x', hidden: 'x', meta: { any: { $key: 1 } }, publishedAt: 'x', locale: 'fr' },
    {
      seo: null,
      tags: [{ id: 1, label: 'x' }],
      zone: [
        { __component: 'shared.tag', id: 1 },
        { __component: 'x.y', z: 1 },
      ],
    },
    { seo: { documentId: 'x' }, zone: [{ __component: 'shared.tag', documentId: 'x' }] },
    { notes: 'abc' },
    { notes: [7, { documentId: 'x', locale: 'fr' }] },
    { notes: { set: [{ documentId: 'x', status: 'draft' }], options: { strict: false } } },
    { notes: { connect: [{ id: 1, position: { before: 2 } }], disconnect: 'x' } },
    { any: [{ __type: 'api::note.note', id: 1 }] },
    { any: { connect: { __type: 'api::note.note', documentId: 'x' } } },
    { cover: { id: 1 } },
    { cover: { set: [1] } },
  ];
  for (const data of accepted)
    it(`accepts ${JSON.stringify(data)}`, () => {
      expect(check(data)).to.equal(null);
    });
});
