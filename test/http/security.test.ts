import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { ConfigError } from '../../src/config/error.js';
import { securityHeaders } from '../../src/http/middleware/security.js';

/** The directives of the policy that a project's options make, by name. */
async function policyOf(options: Readonly<Record<string, unknown>>): Promise<ReadonlyMap<string, string>> {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  await securityHeaders(options)({ req, res } as never, () => Promise.resolve());
  const policy = String(res.getHeader('Content-Security-Policy') ?? '');
  return new Map(policy.split(';').map((directive) => directive.split(/ (.*)/, 2) as [string, string]));
}
const withDirectives = (directives: object) =>
  policyOf({ contentSecurityPolicy: { useDefaults: true, directives } });

describe('http/security', () => {
  it('has the default directives that the options leave out', async () => {
    const policy = await withDirectives({ 'connect-src': ["'self'", 'https://pay.example'] });
    expect(policy.get('connect-src')).to.equal("'self' https://pay.example");
    expect(policy.get('img-src')).to.equal("'self' data: blob:");
    expect(policy.has('upgrade-insecure-requests')).to.equal(false);
  });

  it('takes a directive by either of its names', async () => {
    const policy = await withDirectives({ upgradeInsecureRequests: [], imgSrc: ["'none'"] });
    expect(policy.has('upgrade-insecure-requests')).to.equal(true);
    expect(policy.get('img-src')).to.equal("'none'");
  });

  it('has no policy if the options say so', async () => {
    expect([...(await policyOf({ contentSecurityPolicy: false })).keys()]).to.eql(['']);
  });

  it('names the middleware whose options cannot be used', async () => {
    const error = await withDirectives({ upgradeInsecureRequests: true }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.include('config/middlewares › strapi::security');
  });
});
