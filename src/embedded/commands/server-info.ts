import { hostname } from 'node:os';
import { Long } from 'bson';
import type { Command } from './operation.js';

/** The version of MongoDB whose behaviour is followed. */
export const SERVER_VERSION = '7.0.0';

const buildInfo: Command = () => ({
  version: SERVER_VERSION,
  versionArray: [7, 0, 0, 0],
  gitVersion: 'mangrove',
  modules: ['mangrove'],
  bits: 64,
  debug: false,
  maxBsonObjectSize: 16_777_216,
  storageEngines: ['lmdb'],
});

const serverStatus: Command = ({ engine }) => ({
  host: hostname(),
  version: SERVER_VERSION,
  process: 'mangrove',
  pid: Long.fromNumber(process.pid),
  uptime: (Date.now() - engine.startedAt) / 1000,
  localTime: new Date(),
  connections: { current: 1, available: 1000 },
  metrics: { cursor: { open: { total: engine.cursors.size } } },
  transactions: { currentOpen: engine.sessions.openTransactions },
  storageEngine: { name: 'lmdb', persistent: true, supportsCommittedReads: true },
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

const nothing: Command = () => ({});

/** Commands about the server itself, most of which shells and tools ask for on connecting. */
export const SERVER_COMMANDS: Readonly<Record<string, Command>> = {
  ping: nothing,
  buildInfo,
  buildinfo: buildInfo,
  serverStatus,
  connectionStatus,
  replSetGetStatus,
  currentOp: () => ({ inprog: [] }),
  hostInfo: () => ({ system: { hostname: hostname() }, os: { type: process.platform } }),
  getCmdLineOpts: () => ({ argv: ['mangrove'], parsed: {} }),
  getParameter: () => ({ featureCompatibilityVersion: { version: '7.0' } }),
  getLog: () => ({ totalLinesWritten: 0, log: [] }),
  whatsmyuri: () => ({ you: '127.0.0.1:0' }),
  getFreeMonitoringStatus: () => ({ state: 'disabled' }),
  fsync: () => ({ numFiles: 1 }),
};
