import { compileGrants } from '../../src/access/identity/grants.js';
import type { Identity } from '../../src/access/identity/identity.js';
import type { Access } from '../../src/access/index.js';
import { createApp } from '../../src/app.js';
import { type ConfigOverrides, makeConfig } from '../../src/config/load.js';
import type { JsonOf } from '../../src/documents/read/reader.js';
import type { ContentRequest } from '../../src/documents/request.js';
import { errors } from '../../src/errors.js';
import { createEventLog } from '../../src/events/event-log.js';
import type { AppDeps } from '../../src/http/deps.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import type { Provider } from '../../src/media/types.js';
import { Output } from '../../src/render/bytes/output.js';
import type { ContentType, ScalarAttribute } from '../../src/schema/types.js';
import { NO_CODE } from '../../src/strapi/open.js';

const NAME = {
  kind: 'scalar',
  name: 'name',
  stored: 'name',
  type: 'string',
  writable: true,
} as ScalarAttribute;

const contentType = (name: string, kind: ContentType['kind']): ContentType => ({
  modelType: 'contentType',
  uid: `api::${name}.${name}`,
  displayName: name,
  attributes: new Map([['name', NAME]]),
  file: null,
  declared: { collectionName: null, info: {}, options: {}, pluginOptions: {}, attributes: {} },
  kind,
  singularName: name,
  pluralName: `${name}s`,
  collectionName: `${name}s`,
  draftAndPublish: true,
  localized: false,
  populateCreatorFields: false,
  indexes: [],
  shard: null,
  history: null,
  strapi3: null,
  storage: null,
  origin: 'api',
});

const TYPES = [
  contentType('note', 'collectionType'),
  contentType('home', 'singleType'),
  contentType('secret', 'collectionType'),
];
const GRANTED = ['note.find', 'note.findOne', 'note.create', 'note.update', 'note.delete', 'home.find'];
const grants = compileGrants(GRANTED.map((name) => `api::${name.split('.')[0]}.${name}`));

const identify = async (header: string | undefined): Promise<Identity> => {
  if (header === 'Bearer wrong') throw errors.credentialUnknown();
  return { kind: 'public', anonymous: true, grants };
};

/** A server whose modules below `http` answer from memory, so that these tests are about HTTP alone. */
export const startServer = async (
  overrides: ConfigOverrides = {},
  fakes: Partial<Record<'read' | 'write', () => Promise<unknown>>> = {},
  provider: Pick<Provider, 'find'> = { find: async () => null },
): Promise<RunningServer & { readonly url: string; readonly deps: AppDeps }> => {
  const read = fakes.read ?? (async () => ({ id: 1, documentId: 'abc' }));
  const write = fakes.write ?? read;
  const answer = (run: () => Promise<unknown>) => async () => ({
    data: await run(),
    timings: [['read', 1]],
  });
  /** A write must have data, as in the Document Service. */
  const forRequest = ({ data }: ContentRequest) => {
    const save = answer(async () => {
      if (typeof data !== 'object' || data === null) throw errors.missingData();
      return write();
    });
    return {
      findMany: async () => ({ data: [await read()], pagination: { page: 1 }, timings: [['read', 1]] }),
      findOne: answer(read),
      findFirst: answer(read),
      readJson: async (of: JsonOf) => {
        const data = await read();
        const list = 'target' in of && of.target === 'list';
        return {
          json: data === null ? null : Output.of(list ? [data] : data),
          pagination: list ? { page: 1 } : null,
          timings: [['read', 1]],
        };
      },
      create: save,
      update: save,
      updateSingle: save,
      delete: write,
      deleteSingle: write,
    };
  };
  const config = makeConfig('.', overrides);
  const deps = {
    config,
    schema: { contentTypes: new Map(TYPES.map((t) => [t.uid, t])), components: new Map(), version: '1' },
    store: { client: { options: { maxPoolSize: 50 } } },
    documents: () => ({ forRequest }),
    access: {
      users: {},
      roles: {},
      sessions: {},
      refreshCookie: null,
      tries: null,
      identify,
    } as unknown as Access,
    media: { provider },
    code: NO_CODE,
    own: { definition: {} },
    events: createEventLog({ level: 'silent', production: true, metrics: config.server.metrics }),
    ready: async () => true,
  } as unknown as AppDeps;
  const server = await listen(createApp(deps), { host: '127.0.0.1', port: 0 });
  return { ...server, url: `http://127.0.0.1:${server.port}`, deps };
};
