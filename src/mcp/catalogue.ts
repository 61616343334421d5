/**
 * The content types available to a caller and the actions allowed on them, derived from the contract of the
 * API.
 */

import { LRUCache } from 'lru-cache';
import { describeContract } from '../describe/contract/contract.js';
import { type ContentAction, type Contract, type Operation, WHOLE } from '../describe/contract/types.js';
import type { Caller, Grants } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { memberOf } from '../values/once-per.js';
import type { McpParts } from './types.js';

/** A content type, with the actions that the caller may use. */
export interface KnownType {
  readonly type: ContentType;
  readonly operations: ReadonlyMap<ContentAction, Operation>;
}

/** What is available to one caller. */
export interface TypeView {
  readonly contract: Contract;
  /** By uid. */
  readonly types: ReadonlyMap<string, KnownType>;
}

export interface Catalogue {
  viewOf(caller: Caller): TypeView;
  /** The route of an action for any caller; undefined if there is none. */
  routeOf(uid: string, action: ContentAction): Operation | undefined;
}

/** The number of cached views: one for each set of grants. */
const KEPT = 32;

/** Of the actions that tools call. */
const METHODS: Readonly<Partial<Record<ContentAction, Operation['method']>>> = {
  find: 'get',
  findOne: 'get',
  create: 'post',
  update: 'put',
  delete: 'delete',
};

/**
 * Whether a route takes exactly the parameters that the action needs: a project's code may declare others.
 */
function isCallable({ does, method, path }: Operation, { kind }: ContentType): boolean {
  if (does === undefined || method !== METHODS[does]) return false;
  const named = kind === 'collectionType' && does !== 'find' && does !== 'create';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return named ? names.length === 1 && names[0] === 'documentId' : names.length === 0;
}

export function createCatalogue({ contract: parts, schema }: McpParts): Catalogue {
  const kept = new LRUCache<string, TypeView>({ max: KEPT });
  let everything: TypeView | undefined;

  const viewIn = (contract: Contract): TypeView => {
    const types = new Map<string, { type: ContentType; operations: Map<ContentAction, Operation> }>();
    for (const operation of contract.operations) {
      const { uid = '', does } = operation;
      const type = schema.contentTypes.get(uid);
      if (!type || does === undefined || !isCallable(operation, type)) continue;
      const { operations } = memberOf(types, uid, () => ({ type, operations: new Map() }));
      if (!operations.has(does)) operations.set(does, operation);
    }
    return { contract, types };
  };
  const all = (): TypeView => {
    everything ??= viewIn(describeContract(parts, { ...WHOLE, privateInput: false }));
    return everything;
  };
  const make = (grants: Grants): TypeView => {
    const view = viewIn(describeContract(parts, { ...WHOLE, privateInput: false, caller: { grants } }));
    // A closed route is described, but no tool can use it.
    const served = [...view.types].map(([uid, { type, operations }]) => {
      const open = [...operations].filter(([, { answers }]) => Object.keys(answers).length > 0);
      return [uid, { type, operations: new Map(open) }] as const;
    });
    return { ...view, types: new Map(served.filter(([, { operations }]) => operations.size > 0)) };
  };
  return {
    viewOf({ grants }) {
      if (grants === null) return all();
      const key = grants.version;
      const known = kept.get(key) ?? make(grants);
      kept.set(key, known);
      return known;
    },
    routeOf: (uid, action) => all().types.get(uid)?.operations.get(action),
  };
}
