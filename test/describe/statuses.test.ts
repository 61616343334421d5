/**
 * Each route can return each of its described statuses; that it returns no others is verified by the check in every
 * test server.
 */
import { expect } from 'chai';
import { createApp } from '../../src/app.js';
import { describeContract } from '../../src/describe/contract/contract.js';
import { type Contract, type Operation, WHOLE } from '../../src/describe/contract/types.js';
import { contractParts } from '../../src/http/contract-parts.js';
import { allRoutes } from '../../src/http/routes/all.js';
import { listen } from '../../src/http/server.js';
import { type ConformanceServer, settingsOf, startConformanceServer } from '../support/conformance-server.js';
import { type Received, send } from '../support/send.js';

/** One type of each kind stands for all, as the same table makes their routes. */
const TYPES = new Set(['api::category.category', 'api::homepage.homepage']);

/** What no test can cause from outside, by operation or for all of them, and which test covers it instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '409': 'two writers at the same moment: test/writes',
  'getDocumentation 500': 'files of the package that cannot be read',
  'getDocumentationFile 500': 'files of the package that cannot be read',
  'getFirstPage 500': 'roles that cannot be read',
};

interface RequestOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const statusesOf = ({ answers, refusals }: Operation): readonly string[] => [
  ...new Set([...Object.keys(answers), ...Object.keys(refusals)]),
];

const NUMBERED = /users|roles|upload/;

/** The path with values for its parameters; unknown ones by default. */
const addressOf = ({ path }: Operation, params: RequestOptions['params'] = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? (NUMBERED.test(path) ? 999_999 : 'unknown'))),
  );

/** Without the second header, fetch requests a copy from the origin. */
const unchangedSince = (headers: Headers) => ({
  'if-none-match': headers.get('etag') ?? '',
  'cache-control': 'max-age=0',
});

describe('each described status', function () {
  this.timeout(180_000);
  const seen = new Set<string>();
  let contract: Contract;
  let operations: readonly Operation[];
  let server: ConformanceServer;
  let busy: ConformanceServer;
  let full: string;

  const servers = { docs: true, metrics: true };
  const startBoth = async (): Promise<void> => {
    const { plugins } = settingsOf('default');
    const usersPermissions = { ...plugins?.usersPermissions, jwtManagement: 'refresh' as const };
    server = await startConformanceServer('default', 0, {
      environment: 'development',
      server: servers,
      plugins: { ...plugins, usersPermissions },
    });
    busy = await startConformanceServer('default', 0, {
      environment: 'development',
      server: { ...servers, maxPerAddress: 1, requestMs: 120_000 },
      middlewares: { body: { jsonLimit: '1kb' } },
      plugins: { ...plugins, email: { providerOptions: { jsonTransport: true } } },
    });
  };

  const ask = async (
    at: Pick<ConformanceServer, 'url'>,
    operation: Operation,
    options: RequestOptions = {},
  ): Promise<Received> => {
    const { params, query = '', headers = {}, token, body } = options;
    const received = await send(at.url, addressOf(operation, params) + query, {
      method: operation.method.toUpperCase(),
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
      headers,
    });
    seen.add(`${operation.id} ${received.status}`);
    return received;
  };
  const named = (id: string): Operation => {
    const operation = operations.find((one) => one.id === id);
    if (!operation) throw new TypeError(`no operation ${id}`);
    return operation;
  };
  /** As a caller with full access. */
  const does = (id: string, options: RequestOptions = {}): Promise<Received> =>
    ask(server, named(id), { token: full, ...options });

  /** With one key for two requests, which is refused. */
  const twice = async (id: string, options: RequestOptions = {}): Promise<void> => {
    const headers = { 'idempotency-key': id };
    await does(id, { ...options, headers });
    await does(id, { ...options, headers, query: '?other' });
  };

  before(async function () {
    this.timeout(300_000);
    await startBoth();
    full = server.map.tokens['full'] ?? '';
    contract = describeContract(contractParts(server.project, allRoutes(server.project)), WHOLE);
    operations = contract.operations.filter(({ uid }) => uid === undefined || TYPES.has(uid));
  });
  after(async () => {
    await server?.close();
    await busy?.close();
  });

  it('account routes return everything that is described', async () => {
    const linkIn = (pattern: RegExp): string => pattern.exec(server.emails.at(-1)?.text ?? '')?.[1] ?? '';
    const password = 'Passw0rd-new';
    const twice = { password, passwordConfirmation: password };
    await does('register', { body: { username: 'stella', email: 'stella@example.test', password } });
    const signed = await does('signIn', { body: { identifier: 'stella', password } });
    const tokens = (received: Received) => ({
      token: String(received.at('jwt')),
      refreshToken: String(received.at('refreshToken')),
    });
    await does('forgotPassword', { body: { email: 'stella@example.test' } });
    await does('resetPassword', { body: { code: linkIn(/code=([0-9a-f]+)/), ...twice } });
    const again = tokens(await does('signIn', { body: { identifier: 'stella', password } }));
    const changed = await does('changePassword', {
      token: again.token,
      body: { currentPassword: password, password: `${password}2`, passwordConfirmation: `${password}2` },
    });
    expect([signed.status, changed.status]).to.deep.equal([200, 200]);
    const own = tokens(changed);
    await does('sendEmailConfirmation', { body: { email: 'penny@example.test' } });
    await does('confirmEmail', { query: `?confirmation=${linkIn(/confirmation=([\w-]+)/)}` });
    const renewed = tokens(await does('refreshToken', { body: { refreshToken: own.refreshToken } }));
    const { body: sessions } = await does('listSessions', { token: renewed.token });
    const other = await does('signIn', { body: { identifier: 'stella', password: `${password}2` } });
    const listed = await does('listSessions', { token: tokens(other).token });
    const ids = [sessions, listed.body].flat() as readonly { readonly sessionId: string }[];
    await does('endSession', { token: tokens(other).token, params: { id: ids[0]?.sessionId ?? '' } });
    await does('getMe', { token: tokens(other).token });
    await does('getMe', { token: tokens(other).token, query: '?filters[username]=nobody' });
    await does('logout', { token: tokens(other).token });
    await does('listUsers');
    await does('countUsers');
    const body = {
      username: 'una',
      email: 'una@example.test',
      password,
      role: server.map.roles['authenticated'] ?? 1,
    };
    const made = await does('createUser', { body: { ...body, role: 1 } });
    const id = Number(made.at('id'));
    await does('getUser', { params: { id } });
    await does('updateUser', { params: { id }, body: { username: 'unna' } });
    await does('deleteUser', { params: { id } });
    for (const gone of ['getUser', 'deleteUser']) await does(gone, { params: { id } });
  });

  it('so do roles, files, schemas and the rest', async () => {
    await does('createRole', { body: { name: 'Reader', description: 'reads', type: 'reader' } });
    const { body } = await does('listRoles');
    const role = (
      body as { readonly roles: readonly { readonly id: number; readonly type: string }[] }
    ).roles.find(({ type }) => type === 'reader');
    const params = { id: role?.id ?? 0 };
    await does('getRole', { params });
    await does('updateRole', { params, body: { name: 'Readers', description: 'read' } });
    await does('deleteRole', { params });
    await does('updateRole', { params, body: { name: 'Readers', description: 'read' } });
    await does('listPermissions');
    const uploaded = await send(server.url, '/api/upload', {
      method: 'POST',
      token: full,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--x--\r\n',
    });
    seen.add(`upload ${uploaded.status}`);
    const id = Number(uploaded.at('0.id'));
    await does('upload', { query: `?id=${id}`, body: { fileInfo: { caption: 'A file' } } });
    await does('upload', { query: '?id=999999', body: { fileInfo: { caption: 'A file' } } });
    await does('listFiles');
    await does('listFilePages');
    const file = { file: String(uploaded.at('0.url')).replace('/uploads/', '') };
    const { headers } = await does('downloadFile', { params: file });
    await does('downloadFile', { params: file, headers: { range: 'bytes=0-1' } });
    await does('downloadFile', { params: file, headers: { range: 'bytes=900-' } });
    await does('downloadFile', { params: file, headers: unchangedSince(headers) });
    await does('getFile', { params: { id } });
    await does('deleteFile', { params: { id } });
    await does('listLocales');
    await does('listContentTypes');
    await does('listComponents');
    await does('getContentType', { params: { uid: 'api::category.category' } });
    await does('getComponent', { params: { uid: 'shared.seo' } });
    const email = { to: 'a@example.test', subject: 'Hello', text: 'Hello' };
    await ask(busy, named('sendEmail'), { token: full, body: email });
    await does('getDescription');
    for (const one of ['getHealth', 'getReadiness', 'getMetrics', 'getFirstPage']) await does(one);
    for (const [one, given] of [
      ['getDocumentation', {}],
      ['getDocumentationFile', { file: 'page.js' }],
    ] as const) {
      const page = await does(one, { params: given });
      await does(one, { params: given, headers: unchangedSince(page.headers) });
    }
    const slash = await send(server.url, '/docs/');
    seen.add(`getDocumentation ${slash.status}`);
    const ending = createApp({ ...server.project, ready: async () => false });
    const listening = await listen(ending, { host: '127.0.0.1', port: 0 });
    const ready = await send(`http://127.0.0.1:${listening.port}`, '/_ready');
    seen.add(`getReadiness ${ready.status}`);
    await listening.drain(1000);
  });

  it('so does content', async () => {
    await does('listCategory');
    const made = await does('createCategory', { body: { data: { name: 'Statuses' } } });
    const params = { documentId: String(made.at('data.documentId')) };
    await does('getCategory', { params });
    await does('updateCategory', { params, body: { data: { name: 'All statuses' } } });
    const changed = { params, headers: { 'if-match': '"none"' } };
    await does('createCategory', { ...changed, body: { data: { name: 'Other statuses' } } });
    await does('updateCategory', { ...changed, body: { data: { name: 'Some statuses' } } });
    await does('deleteCategory', changed);
    await twice('createCategory', { body: { data: { name: 'Keyed statuses' } } });
    await twice('updateCategory', { params, body: { data: { name: 'More statuses' } } });
    await twice('deleteCategory', { params });
    await does('updateCategory', { params, body: { data: { name: 'No more statuses' } } });
    await does('getHomepage');
    await does('updateHomepage', { body: { data: {} } });
    await does('updateHomepage', { ...changed, body: { data: {} } });
    for (const verb of ['discardDraftOf', 'unpublish', 'publish', 'delete'])
      await does(`${verb}Homepage`, changed);
    await twice('updateHomepage', { body: { data: { title: 'Keyed' } } });
    for (const [verb, cancel] of [
      ['publish', 'cancelPublish'],
      ['unpublish', 'cancelUnpublish'],
    ] as const) {
      const later = { query: `?${verb}At=2100-01-31T09:00:00Z` };
      await does(`${verb}Homepage`, later);
      await does('listScheduledHomepage');
      await does(`${cancel}Homepage`, changed);
      await does(`${cancel}Homepage`);
      await does(`${verb}Homepage`, later);
      await twice(`${cancel}Homepage`);
    }
    for (const verb of ['discardDraftOf', 'unpublish', 'publish', 'delete']) await twice(`${verb}Homepage`);
    await does('getHomepage');
    const operation = { action: 'delete', plural: 'categories', documentId: 'unknown' };
    const batch = (one: object) => ({ body: { operations: [one] } });
    await does('runBatch', batch({ action: 'create', plural: 'categories', data: { name: 'Of a batch' } }));
    await does('runBatch', batch({ ...operation, ifMatch: 'none' }));
    await twice('runBatch', batch({ action: 'create', plural: 'categories', data: { name: 'Keyed batch' } }));
    await does('runBatch', batch({ ...operation, action: 'update', data: {} }));
    await ask(server, named('runBatch'), {
      ...batch(operation),
      token: server.map.tokens['nothing'] ?? '',
    });
  });

  it('each route returns the errors common to all routes', async () => {
    for (const operation of operations) {
      const statuses = statusesOf(operation);
      const refused = (status: number): boolean => statuses.includes(String(status));
      if (refused(400)) await ask(server, operation, { headers: { 'X-Consistency': 'nonsense' } });
      if (refused(401)) await ask(server, operation, { token: 'nobody' });
      if (refused(403)) await ask(server, operation, { token: server.map.tokens['nothing'] ?? '' });
      if (refused(404)) {
        await ask(server, operation, { token: full });
        // Without refresh tokens there are no sessions.
        await ask(busy, operation, { token: full });
      }
      if (refused(413)) await ask(busy, operation, { token: full, body: { data: 'x'.repeat(2000) } });
    }
  });

  it('each route reports an internal error, overload and timeouts', async () => {
    const { access, media } = busy.project;
    const { identify } = access;
    const failing = { identify: () => Promise.reject(new Error('a bug')), find: media.provider.find };
    const refused = (status: string) => operations.filter((one) => statusesOf(one).includes(status));
    Object.assign(access, { identify: failing.identify });
    Object.assign(media.provider, { find: failing.identify });
    for (const operation of refused('500')) await ask(busy, operation, { token: full });
    // A request that does not end yet takes up the only slot of its address, and others the places behind it.
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    Object.assign(access, { identify: () => released.then(failing.identify) });
    const waiting = Array.from({ length: 1011 }, async () => {
      expect((await ask(busy, named('listLocales'))).status).to.equal(429);
    });
    await Promise.any(waiting);
    await Promise.all(refused('429').map((operation) => ask(busy, operation)));
    release();
    await Promise.allSettled(waiting);
    // One that never ends.
    Object.assign(access, { identify: () => new Promise(() => undefined) });
    const { config } = busy.project;
    const hasty = { ...config, server: { ...config.server, requestMs: 1000 } };
    const app = createApp({ ...busy.project, config: hasty, ready: async () => true });
    const running = await listen(app, { host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${running.port}`;
    await Promise.all(refused('503').map((operation) => ask({ url }, operation)));
    Object.assign(access, { identify });
    await running.drain(1000);
  });

  it('every status has been returned by each route, or is covered elsewhere', () => {
    const unseen = operations.flatMap((operation) =>
      statusesOf(operation)
        .map((status) => `${operation.id} ${status}`)
        .filter(
          (one) =>
            !seen.has(one) &&
            ELSEWHERE[one] === undefined &&
            ELSEWHERE[one.split(' ')[1] ?? ''] === undefined,
        ),
    );
    expect(unseen).to.deep.equal([]);
    const listed = new Set(
      operations.flatMap((one) => statusesOf(one).map((status) => `${one.id} ${status}`)),
    );
    expect([...seen].filter((one) => !listed.has(one))).to.deep.equal([]);
  });
});
