import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { type AllowedPrivate, allowing, lookupAllowed } from '../../src/webhooks/addresses.js';
import { post } from '../../src/webhooks/post.js';
import { startReceiver } from './receiver.js';

const PRIVATE = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.19.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
];
const PUBLIC = [
  '1.1.1.1',
  '11.0.0.1',
  '172.32.0.1',
  '192.167.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00::1',
];

describe('addresses of webhooks', () => {
  it('are public unless allowed', () => {
    const allows = allowing([]);
    expect(PRIVATE.filter((address) => allows(address, address))).to.deep.equal([]);
    expect(PUBLIC.filter((address) => !allows(address, address))).to.deep.equal([]);
    const some = allowing(['10.0.0.0/8', 'fd00::/8', '127.0.0.1', 'Search.internal']);
    expect(PRIVATE.filter((address) => some(address, address))).to.deep.equal([
      '10.1.2.3',
      '127.0.0.1',
      // The same addresses as IPv6 has them.
      '::ffff:10.0.0.1',
      '::ffff:127.0.0.1',
      'fd12:3456::1',
    ]);
    expect(some('search.internal', '192.168.1.1')).to.equal(true);
    expect(some('other.internal', '192.168.1.1')).to.equal(false);
    expect(PRIVATE.every((address) => allowing(true)(address, address))).to.equal(true);
    expect(() => allowing(['10.0.0.0/99'])).to.throw(RangeError);
  });

  it('are checked after names are resolved, and are those that are connected to', async () => {
    const look = (allowed: AllowedPrivate, all: boolean) =>
      new Promise<{ error: Error | null; address: string | LookupAddress[] }>((resolve) =>
        lookupAllowed(allowing(allowed))('localhost', { all }, (error, address) =>
          resolve({ error, address }),
        ),
      );
    expect((await look([], true)).error).to.include({ name: 'PrivateAddress' });
    expect((await look(['127.0.0.0/8', '::1'], false)).address).to.be.oneOf(['127.0.0.1', '::1']);
    expect((await look(['localhost'], true)).address).to.deep.include({ address: '127.0.0.1', family: 4 });
  });

  it('in any form are refused before anything is sent', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const { signal } = new AbortController();
    const sendTo = (host: string, allowed: AllowedPrivate) =>
      post({ url: `http://${host}:${port}/`, headers: {}, payload: '{}', allows: allowing(allowed), signal });
    try {
      for (const host of [
        '127.0.0.1',
        'localhost',
        '2130706433',
        '0x7f.1',
        '[::ffff:127.0.0.1]',
        '127.1',
        '0',
      ])
        expect((await sendTo(host, [])).error, host).to.contain('private network');
      expect(receiver.received).to.deep.equal([]);
      expect((await sendTo('localhost', ['localhost', '127.0.0.1'])).status).to.equal(204);
    } finally {
      await receiver.close();
    }
  });
});
