import { hostname } from 'node:os';
import { type Document, Long } from 'bson';
import type { Engine } from '../engine.js';
import { fail } from '../errors.js';
import { isNumeric } from '../values/index.js';
import { LIMIT_PARAMETERS, type ResourceLimits } from '../values/limits.js';
import { toDouble } from '../values/numbers.js';
import type { Declaration } from './declaration.js';
import { GENERIC } from './fields.js';
import type { Command, Operation } from './operation.js';
import { forget } from './sasl.js';

/** The version of MongoDB that is announced. */
export const versionOf = ({ settings }: Engine): string => `${settings.version.toFixed(1)}.0`;

const buildInfo: Command = ({ engine }) => ({
  version: versionOf(engine),
  versionArray: [...versionOf(engine).split('.').map(Number), 0],
  gitVersion: 'mangrove',
  modules: ['mangrove', 'atomicBulkWrite'],
  bits: 64,
  debug: false,
  maxBsonObjectSize: 16_777_216,
  storageEngines: ['lmdb'],
});

const serverStatus: Command = ({ engine }) => ({
  host: hostname(),
  version: versionOf(engine),
  process: 'mangrove',
  pid: Long.fromNumber(process.pid),
  uptime: (Date.now() - engine.startedAt) / 1000,
  localTime: new Date(),
  connections: { current: 1, available: 1000 },
  metrics: { cursor: { open: { total: engine.cursors.size } } },
  transactions: { currentOpen: engine.sessions.openTransactions },
  storageEngine: { name: 'lmdb', persistent: true, supportsCommittedReads: true },
  mangrove: { shortcuts: engine.settings.shortcuts.uses },
  mem: { resident: Math.round(process.memoryUsage.rss() / 1048576) },
});

const connectionStatus: Command = () => ({
  authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: [] },
});

const replSetGetStatus: Command = ({ engine }) => ({
  set: 'mangrove',
  myState: 1,
  members: [{ _id: 0, name: engine.address, health: 1, state: 1, stateStr: 'PRIMARY', self: true }],
});

const killOp: Command = ({ engine, body }) => {
  engine.running.kill(Number(body['op']));
  return { info: 'attempting to kill op' };
};

const logout: Command = ({ connection }) => {
  forget(connection);
  return {};
};

const LOGS = ['global', 'startupWarnings'];

/** The engine keeps no log; shells ask for startup warnings. */
const getLog: Command = ({ body }) => {
  const asked = body['getLog'];
  if (typeof asked !== 'string') return fail('TypeMismatch', 'Argument to getLog must be of type String');
  if (asked === '*') return { names: LOGS };
  if (!LOGS.includes(asked)) fail('OperationFailed', `No log named '${asked}'`);
  return { totalLinesWritten: 0, log: [] };
};

const nothing: Command = () => ({});

/** Features of 5.0 that MongoDB first had behind a flag, and that scripts from then ask for. */
const FEATURE = { value: true, version: '5.0' };
const FLAGS = { featureFlagWindowFunctions: FEATURE, featureFlagDotsAndDollars: FEATURE };

const parametersOf = ({ settings }: Engine): Document => ({
  ...Object.fromEntries(
    Object.entries(LIMIT_PARAMETERS).map(([name, { limit }]) => [name, settings.limits[limit]]),
  ),
  ...FLAGS,
  // The memory of a sort or a group is limited, unless its command says otherwise.
  allowDiskUseByDefault: false,
  featureCompatibilityVersion: { version: settings.version.toFixed(1) },
});

/** The settings shown with a plan: those about memory, and two for which the engine supports only one value. */
export const explainedParameters = ({ settings }: Engine): Document => ({
  internalQueryFacetBufferSizeBytes: settings.limits.facetBytes,
  ...Object.fromEntries(
    Object.entries(LIMIT_PARAMETERS)
      .filter(([name]) => name.endsWith('Bytes'))
      .map(([name, { limit }]) => [name, settings.limits[limit]]),
  ),
  internalQueryProhibitBlockingMergeOnMongoS: 0,
});

const asked = ({ body, name }: Operation): string[] =>
  Object.keys(body).filter((field) => field !== name && !(field in GENERIC));

const getParameter: Command = (operation) => {
  const known = parametersOf(operation.engine);
  if (operation.body['getParameter'] === '*') return known;
  const found = asked(operation).filter((field) => field in known);
  if (found.length === 0) fail('InvalidOptions', 'no option found to get');
  return Object.fromEntries(found.map((field) => [field, known[field]]));
};

/** Changes the limits of operations, by MongoDB's parameter names, until the engine stops. */
const setParameter: Command = (operation) => {
  const { engine, body } = operation;
  const names = asked(operation);
  const [first] = names;
  if (first === undefined) return fail('InvalidOptions', 'no option found to set');
  const limits: Record<keyof ResourceLimits, number> = { ...engine.settings.limits };
  for (const name of names) {
    const parameter = LIMIT_PARAMETERS[name];
    if (parameter === undefined) {
      return fail(
        'InvalidOptions',
        `attempted to set unrecognized parameter [${name}], use help:true to see options `,
      );
    }
    const value = body[name];
    if (!isNumeric(value) || toDouble(value) <= 0) {
      return fail('BadValue', `Invalid value for parameter ${name}: ${String(value)}`);
    }
    limits[parameter.limit] = Math.trunc(toDouble(value));
  }
  const was = parametersOf(engine)[first];
  engine.settings = { ...engine.settings, limits };
  return { was };
};

/** Commands about the server itself, most of which shells and tools run when they connect. */
export const SERVER_COMMANDS: Readonly<Record<string, Declaration>> = {
  ping: { run: nothing, stable: true, open: true },
  buildInfo: { run: buildInfo, aliases: ['buildinfo'], open: true },
  serverStatus: { run: serverStatus },
  connectionStatus: { run: connectionStatus },
  replSetGetStatus: { run: replSetGetStatus, admin: true },
  currentOp: { run: ({ engine }) => ({ inprog: engine.running.list() }), admin: true },
  killOp: { run: killOp, admin: true },
  hostInfo: { run: () => ({ system: { hostname: hostname() }, os: { type: process.platform } }) },
  getCmdLineOpts: { run: () => ({ argv: ['mangrove'], parsed: {} }), admin: true },
  getParameter: { run: getParameter, admin: true },
  setParameter: { run: setParameter, admin: true },
  getLog: { run: getLog, admin: true },
  whatsmyuri: { run: () => ({ you: '127.0.0.1:0' }), open: true },
  logout: { run: logout, open: true },
  getFreeMonitoringStatus: { run: () => ({ state: 'disabled' }), admin: true },
  fsync: { run: () => ({ numFiles: 1 }), admin: true },
};
