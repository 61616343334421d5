import { expect } from 'chai';
import { explainFailure } from '../../src/terminal/explain-failure.js';

const failure = (message: string, properties: object): Error => Object.assign(new Error(message), properties);

/** What failed, and what is printed: one line that says what to do. */
const cases: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'a port in use': [
    failure('listen EADDRINUSE', { code: 'EADDRINUSE', syscall: 'listen', port: 1337 }),
    /^Port 1337 is in use\. Set PORT/,
  ],
  'a privileged port': [
    failure('listen EACCES', { code: 'EACCES', syscall: 'listen', port: 80 }),
    /^Port 80 cannot be used by this user/,
  ],
  'an address of another machine': [
    failure('listen EADDRNOTAVAIL: 10.1.2.3', { code: 'EADDRNOTAVAIL', syscall: 'listen', port: 1337 }),
    /does not have this address: .*10\.1\.2\.3\. Set HOST/,
  ],
  'a host that does not resolve': [
    failure('getaddrinfo ENOTFOUND nowhere', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    /nowhere\. Set HOST/,
  ],
  'a cluster without an SRV record': [
    failure('querySrv ENOTFOUND _mongodb._tcp.x', { code: 'ENOTFOUND', syscall: 'querySrv' }),
    /^The database does not respond: querySrv/,
  ],
  'an unreachable database': [
    failure('connect ECONNREFUSED 127.0.0.1:1', { name: 'MongoServerSelectionError' }),
    /^The database does not respond: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  'a malformed URI': [
    failure('Invalid scheme', { name: 'MongoParseError' }),
    /^The database URI is malformed: Invalid scheme$/,
  ],
  'a file of another user': [
    failure("EACCES: permission denied, open '/a'", { code: 'EACCES', syscall: 'open', path: '/a' }),
    /^This user cannot read or write a file: .*'\/a'$/,
  ],
  'any other error': [new Error('as it says'), /^as it says$/],
  'a thrown value that is not an error': ['text', /^text$/],
};

describe('terminal/explain-failure', () => {
  for (const [name, [error, message]] of Object.entries(cases))
    it(name, () => {
      expect(explainFailure(error)).to.match(message).and.not.include('\n');
    });
});
