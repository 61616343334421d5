import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import {
  hashOfNothing,
  hashPassword,
  needsUpgrade,
  verifyPassword,
} from '../../src/access/accounts/password.js';
import { hashApiKey, makeApiKey } from '../../src/access/credentials/api-key.js';
import { bearerToken } from '../../src/access/identity/authenticate.js';
import { readToken, signToken } from '../../src/access/identity/jwt.js';

describe('access/bearer', () => {
  const CASES: readonly (readonly [string | undefined, string | null])[] = [
    [undefined, null],
    ['', null],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearer a b', null],
    ['Basic abc', null],
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['  BEARER   abc  ', 'abc'],
  ];
  for (const [header, token] of CASES)
    it(`${JSON.stringify(header)} contains ${token}`, () => expect(bearerToken(header)).to.equal(token));
});

describe('access/api-key', () => {
  it('generates 256 hex characters, different each time', () => {
    expect(makeApiKey()).to.match(/^[0-9a-f]{256}$/);
    expect(makeApiKey()).to.not.equal(makeApiKey());
  });
  it('hashes with HMAC-SHA512 and the salt', () => {
    expect(hashApiKey('key', 'salt')).to.match(/^[0-9a-f]{128}$/);
    expect(hashApiKey('key', 'salt')).to.not.equal(hashApiKey('key', 'other'));
  });
});

describe('access/password', () => {
  it('verifies its own hashes', async () => {
    const hash = await hashPassword('secret-1');
    expect(hash).to.match(/^\$scrypt\$N=16384,r=8,p=1\$/);
    expect(await verifyPassword('secret-1', hash)).to.equal(true);
    expect(await verifyPassword('secret-2', hash)).to.equal(false);
    expect(needsUpgrade(hash, 'secret-1')).to.equal(false);
  });
  it('accepts the bcrypt hashes of imported accounts, and asks for an upgrade', async () => {
    const hash = await bcrypt.hash('secret-1', 4);
    expect(await verifyPassword('secret-1', hash)).to.equal(true);
    expect(await verifyPassword('secret-2', hash)).to.equal(false);
    expect(needsUpgrade(hash, 'secret-1')).to.equal(true);
    expect(needsUpgrade(hash, 'x'.repeat(73))).to.equal(false);
  });
  it('verifies nothing against a hash of nothing, at the cost of its own', async () => {
    const cost = (hash: string): string => hash.slice(0, hash.lastIndexOf('$')).replace(/[\w-]{22}$/, 'salt');
    expect(cost(hashOfNothing())).to.equal(cost(await hashPassword('secret-1')));
    expect(await verifyPassword('', hashOfNothing())).to.equal(false);
    expect(hashOfNothing()).to.not.equal(hashOfNothing());
  });
  it('hashes nothing before somebody signs in', async () => {
    const { postMessage } = Worker.prototype;
    let jobs = 0;
    Worker.prototype.postMessage = function (job, ...rest) {
      if (job?.kind === 'scrypt') jobs += 1;
      postMessage.call(this, job, ...rest);
    };
    try {
      await import(`../../src/access/accounts/sign-in.js?${Date.now()}`);
      await setImmediate();
      expect(jobs).to.equal(0);
      await hashPassword('secret-1');
      expect(jobs).to.equal(1);
    } finally {
      Worker.prototype.postMessage = postMessage;
    }
  });
  for (const broken of ['', 'plain', '$scrypt$x', '$argon2id$v=19$…'])
    it(`verifies nothing against the hash ${JSON.stringify(broken)}`, async () =>
      expect(await verifyPassword('plain', broken)).to.equal(false));
});

describe('access/jwt', () => {
  const plain = { kind: 'plain', id: 7, passwordVersion: 2 } as const;
  const session = { kind: 'session', id: 7, sessionId: 's1' } as const;

  for (const claims of [plain, session, { ...plain, passwordVersion: 0 }])
    it(`reads back ${JSON.stringify(claims)}`, () =>
      expect(readToken(signToken(claims, 'k', 60), 'k')).to.deep.equal(claims));

  it("has the same payload as Strapi's token until the password changes", () => {
    const payload = jwt.decode(signToken({ ...plain, passwordVersion: 0 }, 'k', '30d'));
    expect(payload).to.have.all.keys('id', 'iat', 'exp');
  });

  const REFUSED: Readonly<Record<string, string>> = {
    'a token with another secret': signToken(plain, 'other', 60),
    'an expired token': signToken(plain, 'k', -1),
    'a token with HS512': jwt.sign({ id: 7 }, 'k', { algorithm: 'HS512' }),
    'a token with algorithm none': jwt.sign({ id: 7 }, '', { algorithm: 'none' }),
    'a token with an id that is not a number': jwt.sign({ id: { $gt: 0 } }, 'k'),
    'a token with a string as payload': jwt.sign('hello', 'k'),
    'a malformed token': 'a.b.c',
  };
  for (const [name, token] of Object.entries(REFUSED))
    it(`refuses ${name}`, () => expect(readToken(token, 'k')).to.equal(null));
});
