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
}

/** The number of cached views: one for each set of grants. */
const KEPT = 32;

/** The actions that tools call: types with others alone are of no use to an agent. */
const CALLED: ReadonlySet<ContentAction> = new Set<ContentAction>([
  'find',
  'findOne',
  'create',
  'update',
  'delete',
]);

export function createCatalogue({ contract: parts, schema, serves }: McpParts): Catalogue {
  const kept = new LRUCache<string, TypeView>({ max: KEPT });
  let everything: TypeView | undefined;

  const viewIn = (contract: Contract): TypeView => {
    const types = new Map<string, { type: ContentType; operations: Map<ContentAction, Operation> }>();
    for (const operation of contract.operations) {
      const { uid = '', does } = operation;
      const type = schema.contentTypes.get(uid);
      if (!type || does === undefined || !CALLED.has(does) || !serves(type, does)) continue;
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
  };
}
