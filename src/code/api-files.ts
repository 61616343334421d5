import { uidIn } from '../schema/names.js';
import type { ContentType } from '../schema/types.js';
import { doesSomething, factoryCall, type Members, membersOf } from './exported.js';
import type { ParsedFile } from './parse.js';
import { mayRefuse } from './refusing.js';
import type { RouteContext } from './routes.js';
import type { Closing } from './types.js';

/**
 * What a controller, service or lifecycles file would have done, and the actions that are not safe without
 * it.
 */
export interface ApiFile {
  readonly does: string;
  readonly closings: readonly Closing[];
}

const ALL = ['find', 'findOne', 'create', 'update', 'delete'];

const CORE: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ALL.map((action) => [action, [action]]),
);

/** The actions that run the methods of a core controller or service (rules A.5). */
const METHODS = {
  createCoreController: {
    ...CORE,
    sanitizeQuery: ALL,
    validateQuery: ALL,
    sanitizeOutput: ALL,
    transformResponse: ALL,
    sanitizeInput: ['create', 'update'],
    validateInput: ['create', 'update'],
  },
  createCoreService: {
    ...CORE,
    createOrUpdate: ['update'],
    getDocumentId: ['update', 'delete'],
    getFetchParams: ALL,
  },
} satisfies Record<string, Readonly<Record<string, readonly string[]>>>;

const list = (names: Iterable<string>): string => [...names].join(', ');

/** Reads a controller or service, whose own methods may replace the core ones. Null if it has none. */
export function readFactoryFile(
  parsed: ParsedFile,
  { factory, name }: { readonly factory: keyof typeof METHODS; readonly name: string },
  { api, file, types }: RouteContext,
): ApiFile | null {
  const call = factoryCall(parsed.exported, parsed, factory);
  if (call && call.arguments.length < 2) return null;
  if (parsed.exported === null) return null;
  const members = membersOf(call ? call.arguments[1] : parsed.exported, parsed);
  const methods: Readonly<Record<string, readonly string[]>> = METHODS[factory];
  const uid = uidIn(api, name);
  const own = members
    ? [...members.keys()].flatMap((method) => (Object.hasOwn(methods, method) ? (methods[method] ?? []) : []))
    : ALL;
  const because = `${file} ${members === null ? 'creates its methods dynamically' : 'has its own method for it'}`;
  return {
    does: members === null ? 'creates its methods dynamically' : `has ${list(members.keys()) || 'nothing'}`,
    closings: types.has(uid)
      ? ALL.filter((action) => own.includes(action)).map((action) => ({
          at: { action: `${uid}.${action}` },
          names: [file],
          because,
        }))
      : [],
  };
}

/** The actions that a lifecycle affects: what is read, or whether something is written. */
const DECIDED: Readonly<Record<string, readonly string[]>> = {
  beforeFindOne: ['find', 'findOne'],
  beforeFindMany: ['find', 'findOne'],
  beforeCount: ['find'],
  afterFindOne: ['find', 'findOne'],
  afterFindMany: ['find', 'findOne'],
};
const WRITING: Readonly<Record<string, readonly string[]>> = {
  beforeCreate: ['create'],
  beforeCreateMany: ['create'],
  afterCreate: ['create'],
  beforeUpdate: ['update'],
  beforeUpdateMany: ['update'],
  afterUpdate: ['update'],
  beforeDelete: ['delete'],
  beforeDeleteMany: ['delete'],
  afterDelete: ['delete'],
};

interface Decided {
  readonly hook: string;
  readonly action: string;
}

/**
 * The actions that these hooks affect.
 * @param publishes whether updates also publish, which deletes and recreates the published row
 */
export const decidedBy = (hooks: Members, file: ParsedFile, publishes: boolean): readonly Decided[] =>
  [...hooks].flatMap(([hook, node]) => {
    const reads = DECIDED[hook];
    if (reads) return doesSomething(node) ? reads.map((action) => ({ hook, action })) : [];
    const writes = WRITING[hook];
    if (!writes || !mayRefuse(node, file)) return [];
    const all = publishes ? [...new Set([...writes, 'update'])] : writes;
    return all.map((action) => ({ hook, action }));
  });

/**
 * A lifecycle on reads closes those reads; one that may reject a write closes that write; others are only
 * listed.
 */
export function readLifecycles(
  parsed: ParsedFile,
  file: string,
  { uid, draftAndPublish }: Pick<ContentType, 'uid' | 'draftAndPublish'>,
): ApiFile | null {
  const members: Members | null = membersOf(parsed.exported, parsed);
  if (members?.size === 0) return null;
  const decided = members
    ? decidedBy(members, parsed, draftAndPublish)
    : ALL.map((action) => ({ hook: 'its hooks', action }));
  const closings = decided.map(({ hook, action }) => ({
    at: { action: `${uid}.${action}` },
    names: [file],
    because: `${file} decides in ${hook} what the caller may read or write`,
  }));
  return {
    does: members === null ? 'creates its hooks dynamically' : `runs ${list(members.keys())}`,
    closings,
  };
}
