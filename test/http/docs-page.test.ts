import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer } from '../support/test-server.js';

describe('GET /docs', function () {
  this.timeout(180_000);
  const files = ['', '/page.js', '/page.css', '/swagger-ui.css', '/swagger-ui-bundle.js', '/config.json'];

  it('is off in production unless it is enabled', async () => {
    const server = await startTestServer();
    for (const file of files) expect((await send(server.url, `/docs${file}`)).status, file).to.equal(404);
    await server.close();
  });

  it('is served when enabled, and runs only its own scripts', async () => {
    const server = await startTestServer({ server: { docs: true } });
    for (const file of files) {
      const { status, headers } = await send(server.url, `/docs${file}`);
      expect(status, file).to.equal(200);
      if (file !== '/config.json')
        expect(headers.get('content-security-policy'), file)
          .to.match(/script-src 'self'(;|$)/)
          .and.include("default-src 'none'")
          .and.include("connect-src 'self'");
    }
    for (const path of ['/docs/files.ts', '/docs/../app.ts', '/docs/assets/index.html', '/docs/constructor'])
      expect((await send(server.url, path)).status, path).to.equal(404);
    expect((await send(server.url, '/docs/')).headers.get('location')).to.equal('/docs');
    const { headers } = await send(server.url, '/api/openapi.json');
    expect(headers.get('content-security-policy')).to.include("connect-src 'self' https:");
    await server.close();
  });
});
