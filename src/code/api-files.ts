import type { ContentType } from '../schema/types.js';
import { doesSomething, factoryCall, type Members, membersOf, throws } from './exported.js';
import type { ParsedFile } from './parse.js';
import type { Closing } from './types.js';

/** What a controller, a service or lifecycles would have done, and the actions that are not safe without it. */
export interface ApiFile {
  readonly does: string;
  readonly closings: readonly Closing[];
}

interface ApiFolder {
  readonly api: string;
  readonly file: string;
  readonly types: ReadonlyMap<string, ContentType>;
}

const CORE_ACTIONS = ['find', 'findOne', 'create', 'update', 'delete'];

const list = (names: Iterable<string>): string => [...names].join(', ');

/** Controllers and services: own methods of the core actions' names stand in their place. Null: nothing of its own. */
export function readFactoryFile(
  parsed: ParsedFile,
  {
    factory,
    name,
  }: { readonly factory: 'createCoreController' | 'createCoreService'; readonly name: string },
  { api, file, types }: ApiFolder,
): ApiFile | null {
  const call = factoryCall(parsed, factory);
  if (call && call.arguments.length < 2) return null;
  if (parsed.exported === null) return null;
  const members = membersOf(call ? call.arguments[1] : parsed.exported, parsed);
  const uid = `api::${api}.${name}`;
  const known = types.has(uid);
  const own = members === null ? CORE_ACTIONS : CORE_ACTIONS.filter((action) => members.has(action));
  const because = `${file} ${members === null ? 'makes its methods by code' : 'has a method of its own for it'}`;
  return {
    does: members === null ? 'makes its methods by code' : `has ${list(members.keys()) || 'nothing'}`,
    closings: known
      ? own.map((action) => ({ at: { action: `${uid}.${action}` }, names: [file], because }))
      : [],
  };
}

/** The actions that a lifecycle decides on: what is read, or whether something is written. */
const DECIDED: Readonly<Record<string, readonly string[]>> = {
  beforeFindOne: ['find', 'findOne'],
  beforeFindMany: ['find', 'findOne'],
  beforeCount: ['find'],
  afterFindOne: ['find', 'findOne'],
  afterFindMany: ['find', 'findOne'],
  beforeCreate: ['create'],
  beforeUpdate: ['update'],
  beforeDelete: ['delete'],
};
const WRITES = new Set(['beforeCreate', 'beforeUpdate', 'beforeDelete']);

/** The actions that these hooks decide on. */
export const decidedBy = (hooks: Members): readonly { readonly hook: string; readonly action: string }[] =>
  [...hooks].flatMap(([hook, node]) =>
    doesSomething(node) && (!WRITES.has(hook) || throws(node))
      ? (DECIDED[hook] ?? []).map((action) => ({ hook, action }))
      : [],
  );

/** A lifecycle that reads closes its reads; one that may refuse a write closes that write; the others are only named. */
export function readLifecycles(parsed: ParsedFile, uid: string, file: string): ApiFile | null {
  const members: Members | null = membersOf(parsed.exported, parsed);
  if (members?.size === 0) return null;
  const hooks = members ?? new Map(Object.keys(DECIDED).map((name) => [name, parsed.program] as const));
  const closings = decidedBy(hooks).map(({ hook, action }) => ({
    at: { action: `${uid}.${action}` },
    names: [file],
    because: `${file} decides in ${hook} what the caller gets`,
  }));
  return { does: members === null ? 'makes its hooks by code' : `runs ${list(members.keys())}`, closings };
}
