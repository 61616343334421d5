/**
 * One test for each class of vulnerability that other servers had in parsing requests, named after its id: parameters,
 * bodies, files, origins.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import qs from 'qs';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

describe('security: requests', function () {
  this.timeout(180_000);
  let server: TestServer;
  let full: string;
  before(async () => {
    server = await startTestServer();
    full = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
    const restaurants = server.project.documents('api::restaurant.restaurant');
    for (const [name, note] of [
      ['Ann', 'alpha'],
      ['Bob', 'beta'],
      ['Cyd', null],
    ])
      await restaurants.create({
        data: { name, internalNote: note, secret: 'pass-word', settings: { key: note } },
        status: 'published',
      });
  });
  after(() => server.close());
  const ask = (path: string, sent?: Sent) => send(server.url, `/api${path}`, { token: full, ...sent });

  it('CVE-2026-27886, CVE-2024-56143: parameters that are not on the list never reach a plan', async () => {
    const baseline = (await ask('/restaurants?sort=name')).body;
    const hostile = [
      'where[internalNote][$startsWith]=a',
      'where[name]=Ann',
      '_where[name]=Ann',
      '_where[0][name]=Ann',
      'where[updatedBy][resetPasswordToken][$startsWith]=a',
      'select[0]=internalNote',
      'select=*',
      'pipeline[0][$match][name]=Ann',
      'aggregate[0][$limit]=1',
      'query[name]=Ann',
      'params[name]=Ann',
      'match[name]=Ann',
      '$where=1',
      '$or[0][name]=Ann',
      'groupBy=internalNote',
      'having[x]=1',
      'orderBy[internalNote]=asc',
      'offset=1',
      'skip=1',
      'projection[internalNote]=1',
      'collation[locale]=fr',
      'hint=x',
      '_id=1',
      'documentId=x',
      'data[name]=Ann',
      'on[x]=1',
      'joins[0]=x',
      'transacting=x',
    ];
    for (const query of hostile)
      expect((await ask(`/restaurants?sort=name&${query}`)).body, query).to.deep.equal(baseline);
    expect((await ask('/restaurants?lookup[internalNote]=alpha')).status).to.equal(400);
    for (const query of [
      'filters[$where]=1',
      'filters[$expr][x]=1',
      'filters[name][$regex]=.*',
      'filters[name][$where]=1',
      'filters[_id]=1',
      'sort=$natural',
      'populate=$lookup',
      'fields=$all',
    ])
      expect((await ask(`/restaurants?${query}`)).status, query).to.equal(400);
  });

  it('CVE-2023-22894: no total, page or search depends on hidden values', async () => {
    const totals = new Set<unknown>();
    for (const text of ['alpha', 'beta', 'gamma', 'pass-word', '$2', 'scrypt'])
      totals.add((await ask(`/restaurants?_q=${text}`)).at('meta.pagination.total'));
    expect([...totals]).to.deep.equal([0]);
  });

  it('CVE-2023-34093, CVE-2026-22599: no request changes the schema', async () => {
    const { schema } = server.project;
    const attribute = schema.contentTypes.get('api::restaurant.restaurant')?.attributes.get('internalNote');
    expect(Object.isFrozen(schema)).to.equal(true);
    expect(Object.isFrozen(attribute)).to.equal(true);
    expect(() => (schema.contentTypes as Map<string, unknown>).set('x', attribute)).to.throw();
    for (const path of [
      '/content-type-builder/content-types',
      '/content-type-builder/schema',
      '/content-type-builder/components',
    ])
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect(
          (await ask(path, { method, body: { contentType: { kind: 'collectionType' } } })).status,
          `${method} ${path}`,
        ).to.equal(405);
  });

  it('CVE-2022-24760 (Parse): __proto__, constructor and prototype pollute nothing', async () => {
    const bodies = [
      '{"data":{"name":"x","__proto__":{"polluted":1}}}',
      '{"__proto__":{"polluted":1},"data":{"name":"x"}}',
      '{"data":{"name":"x","constructor":{"prototype":{"polluted":1}}}}',
      '{"data":{"name":"x","settings":{"__proto__":{"polluted":1}}}}',
    ];
    for (const body of bodies)
      expect((await ask('/restaurants', { body, method: 'POST' })).status, body).to.equal(400);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await ask('/restaurants', {
      method: 'POST',
      headers: form,
      body: 'data[name]=y&data[__proto__][polluted]=1&__proto__[polluted]=1',
    });
    for (const query of [
      'filters[__proto__][polluted]=1',
      '__proto__[polluted]=1',
      'filters[name][__proto__][$eq]=1',
      'populate[__proto__][fields]=a',
      'constructor[prototype][polluted]=1',
    ])
      expect((await ask(`/restaurants?${query}`)).status, query).to.be.oneOf([200, 400]);
    expect(Reflect.get({}, 'polluted')).to.equal(undefined);
    expect((await ask('/restaurants')).body).to.not.have.property('polluted');
  });

  it('CVE-2026-25544, CVE-2026-63316, CVE-2026-105845 (Payload): paths into JSON do not exist, and list values remain values', async () => {
    for (const query of [
      'filters[settings][key]=alpha',
      'filters[settings][key][$eq]=alpha',
      'filters[settings.key]=alpha',
      'sort=settings.key',
      "filters[settings]['$gt']=",
    ])
      expect((await ask(`/restaurants?${query}`)).status, query).to.equal(400);
    for (const value of ["x' OR '1'='1", '$name', '{"$ne":null}', ') or 1=1 --', '{$gt:""}'])
      expect(
        (await ask(`/restaurants?filters[name][$in][0]=${encodeURIComponent(value)}`)).at('data'),
        value,
      ).to.deep.equal([]);
  });

  it('CVE-2026-33498, CVE-2026-32944, CVE-2026-57480 (Parse): deep nesting is refused before it costs anything', async () => {
    const deep = (operator: string, levels: number) => `filters${`[${operator}][0]`.repeat(levels)}[name]=x`;
    for (const query of [
      deep('$or', 500),
      deep('$and', 2000),
      deep('$not', 2000),
      `populate=${'similar.'.repeat(2000)}similar`,
    ]) {
      const answer = await ask(`/restaurants?${query.slice(0, 15_000)}`);
      expect(answer.status, query.slice(0, 40)).to.equal(400);
    }
    const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    expect(
      (await ask('/restaurants', { method: 'POST', body: `{"data":{"name":"x","settings":${nested}}}` }))
        .status,
    ).to.equal(400);
    expect((await ask('/restaurants')).status).to.equal(200);
  });

  it('CVE-2025-15284 (qs): brackets without an index count like others, and excess items are not dropped', async () => {
    const version = String(JSON.parse(readFileSync('node_modules/qs/package.json', 'utf8')).version)
      .split('.')
      .map(Number);
    expect((version[0] ?? 0) * 1000 + (version[1] ?? 0)).to.be.at.least(6017);
    expect(qs.parse('a[]=1', { arrayLimit: 100 })).to.deep.equal({ a: ['1'] });
    const many = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${name}=${i}`).join('&');
    expect((await ask(`/restaurants?${many('x', 1001)}&filters[name]=Nobody`)).status).to.equal(400);
    expect((await ask(`/restaurants?${many('filters[name][$in][]', 500)}`)).at('data')).to.deep.equal([]);
  });

  it('CVE-2025-53092: only listed origins are allowed with credentials', async () => {
    const listed = await startTestServer({ middlewares: { cors: { origin: ['https://site.example'] } } });
    const grant = async (url: string, origin: string, method: string) => {
      const headers = { origin, ...(method === 'OPTIONS' && { 'access-control-request-method': 'GET' }) };
      const answer = await send(url, '/api/restaurants', { method, headers });
      return [
        answer.headers.get('access-control-allow-origin'),
        answer.headers.get('access-control-allow-credentials'),
      ];
    };
    const others = [
      'https://evil.example',
      'null',
      'https://site.example.evil.example',
      'https://evilsite.example',
      'http://site.example',
      'https://SITE.example.',
    ];
    for (const method of ['GET', 'OPTIONS']) {
      for (const origin of others) {
        expect((await grant(listed.url, origin, method))[0] ?? '', origin).to.equal('');
        expect(await grant(server.url, origin, method), origin).to.deep.equal(['*', null]);
      }
      expect(await grant(listed.url, 'https://site.example', method)).to.deep.equal([
        'https://site.example',
        'true',
      ]);
    }
    await listed.close();
  });

  it('CVE-2024-52588, CVE-2024-37818: a URL in a request is never fetched', async () => {
    let hits = 0;
    const canary: Server = createServer((_, response) => {
      hits += 1;
      response.end('x');
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/x.png`;
    const form = new FormData();
    form.append('files', url);
    form.append('fileInfo', JSON.stringify({ name: url, url, previewUrl: url }));
    await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${full}` },
    });
    await ask('/upload', { body: { url, files: [url] } });
    await ask('/restaurants', { body: { data: { name: url, cover: url } } });
    for (const path of [
      `/restaurants?url=${url}`,
      `/_next/image?url=${url}`,
      `/upload/files?url=${url}`,
      `/connect/google?callback=${url}`,
    ])
      await ask(path);
    expect(hits).to.equal(0);
    await new Promise((resolve) => canary.close(resolve));
  });

  it('CVE-2026-22707, CVE-2022-27263: files that a browser could execute are not served as such from this origin', async () => {
    const upload = async (name: string, type: string, text: string) => {
      const form = new FormData();
      form.append('files', new Blob([text], { type }), name);
      return fetch(`${server.url}/api/upload`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${full}` },
      });
    };
    const script = '<script>alert(1)</script>';
    const files: readonly (readonly [string, string, string])[] = [
      ['page.html', 'text/html', `<html>${script}</html>`],
      ['page.png', 'image/png', `<html>${script}</html>`],
      ['picture.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
      ['feed.xml', 'application/xml', `<?xml version="1.0"?><x>${script}</x>`],
      ['page.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
      ['x.js', 'text/javascript', 'alert(1)'],
    ];
    for (const [name, type, text] of files) {
      const made = await upload(name, type, text);
      if (made.status !== 201) {
        expect(made.status, name).to.equal(400);
        continue;
      }
      const [file] = (await made.json()) as { url: string }[];
      const served = await fetch(server.url + file?.url);
      expect(served.headers.get('x-content-type-options'), name).to.equal('nosniff');
      const runs = /html|svg|xml|javascript/.test(served.headers.get('content-type') ?? '');
      if (runs) expect(served.headers.get('content-disposition'), name).to.match(/^attachment/);
      if (runs) expect(served.headers.get('content-security-policy'), name).to.match(/sandbox/);
    }
  });

  it('supply chain: few packages, each pinned by its checksum', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).length).to.be.at.most(24);
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>;
    };
    // The others are this package and its workspaces.
    const installed = Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'));
    const loose = installed.filter(([, { integrity, link }]) => !link && !integrity);
    expect(installed).to.have.length.above(100);
    expect(loose.map(([path]) => path)).to.deep.equal([]);
  });
});
