import { expect } from 'chai';
import {
  ALL_GRANTS,
  compileGrants,
  grantsOfToken,
  NOTHING,
  READ_ONLY,
} from '../../src/access/identity/grants.js';
import type { ApiToken } from '../../src/access/identity/identity.js';
import { allActions, enabledActions, permissionTree } from '../../src/access/roles/actions.js';

const FIND = 'api::article.article.find';

describe('access/grants', () => {
  it('allows exactly the named actions', () => {
    const grants = compileGrants([FIND]);
    expect(grants.allows(FIND)).to.equal(true);
    expect(grants.allows('api::article.article.findOne')).to.equal(false);
  });

  it('has the same version for equal sets, in any order', () => {
    expect(compileGrants(['a', 'b']).version).to.equal(compileGrants(['b', 'a', 'a']).version);
    expect(compileGrants(['a']).version).to.not.equal(compileGrants(['b']).version);
  });

  const READ: readonly (readonly [string, boolean])[] = [
    [FIND, true],
    ['api::article.article.findOne', true],
    ['api::article.article.create', false],
    ['plugin::upload.content-api.findPage', false],
    ['plugin::users-permissions.auth.callback', false],
    ['api::article.article.unfind', false],
  ];
  for (const [action, allowed] of READ)
    it(`a read-only token ${allowed ? 'may' : 'may not'} ${action}`, () => {
      expect(READ_ONLY.allows(action)).to.equal(allowed);
    });

  it('gives each kind of token its grants', () => {
    const token = (type: ApiToken['type']) =>
      grantsOfToken({ type, permissions: [FIND] } as unknown as ApiToken);
    expect(token('full-access')).to.equal(ALL_GRANTS);
    expect(token('read-only')).to.equal(READ_ONLY);
    expect(token('custom').allows(FIND)).to.equal(true);
    expect(token('custom').allows('api::article.article.create')).to.equal(false);
  });

  it('denies by default', () => expect(NOTHING.allows(FIND)).to.equal(false));
});

describe('access/actions', () => {
  it('lists the actions of content types and plugins', () => {
    const type = (kind: string) => ({ uid: `api::${kind}.${kind}`, origin: 'api', kind });
    const contentTypes = new Map(['collectionType', 'singleType'].map((kind) => [kind, type(kind)]));
    const actions = allActions({ contentTypes } as never);
    expect(actions).to.include('api::collectionType.collectionType.findOne');
    expect(actions).to.not.include('api::singleType.singleType.findOne');
    expect(actions).to.include('plugin::users-permissions.user.me');
  });

  it('parses the tree that it writes', () => {
    const actions = [FIND, 'api::article.article.delete', 'plugin::upload.content-api.upload'];
    const tree = permissionTree(actions, (action) => action === FIND);
    expect(tree['api::article']?.controllers['article']).to.deep.equal({
      find: { enabled: true, policy: '' },
      delete: { enabled: false, policy: '' },
    });
    expect(enabledActions(tree)).to.deep.equal([FIND]);
  });

  for (const broken of [
    null,
    5,
    'x',
    [],
    { a: null },
    { a: { controllers: 5 } },
    { a: { controllers: { b: null } } },
  ])
    it(`finds no actions in ${JSON.stringify(broken)}`, () =>
      expect(enabledActions(broken)).to.deep.equal([]));
});
