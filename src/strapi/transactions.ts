import { AsyncLocalStorage } from 'node:async_hooks';
import { isUpdate } from '../documents/service.js';
import type { Documents } from '../documents/types.js';
import type { Live } from './live.js';
import { type Callable, isCallable, type Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

/** The transaction that code runs in. */
interface Current {
  /** In place of those that commit each write by itself. */
  readonly documents: Documents;
  readonly given: Values;
}

const current = new AsyncLocalStorage<Current>();

/** What code works with: inside a transaction its documents. */
export const withinTransaction = (live: Live): Live => {
  const transaction = current.getStore();
  return transaction ? { ...live, documents: transaction.documents } : live;
};

/** `rollback` was called: nothing is stored, but the function returns what it returned. */
class RolledBack extends Error {
  constructor(readonly result: unknown) {
    super('rolled back');
  }
}

const hooksIn = (hooks: Callable[]) => (hook: unknown) => {
  if (isCallable(hook)) hooks.push(hook);
};

/**
 * `strapi.db.transaction`: writes of `documents`, `db.query` and `entityService` in the function are stored together.
 * It may run again if a document has changed meanwhile.
 */
export const transactionOf =
  (live: () => Live): Callable =>
  async (work) => {
    if (!isCallable(work)) return refuse('db.transaction without a function');
    const outer = current.getStore();
    if (outer) return work(outer.given);
    let onCommit: Callable[] = [];
    let onRollback: Callable[] = [];
    const { documents } = live();
    const run = async (inside: (uid: string) => ReturnType<Documents>): Promise<unknown> => {
      onCommit = [];
      onRollback = [];
      let isRolledBack = false;
      const given: Values = {
        trx: withRefused('db.transaction.trx', {}, 'all'),
        commit: () => refuse('db.transaction.commit (it commits when the function has returned)'),
        rollback: async () => {
          isRolledBack = true;
        },
        onCommit: hooksIn(onCommit),
        onRollback: hooksIn(onRollback),
      };
      const together: Documents['together'] = async (uid, calls) => {
        const ids: string[] = [];
        for (const call of calls) {
          const answer = await (isUpdate(call) ? inside(uid).update(call) : inside(uid).create(call));
          ids.push(String(answer?.['documentId']));
        }
        return ids;
      };
      const within = Object.assign((uid: string) => inside(uid), { ...documents, together }) as Documents;
      const result = await current.run({ documents: within, given }, async () => work(given));
      if (isRolledBack) throw new RolledBack(result);
      return result;
    };
    try {
      const result = await documents.transaction(run);
      await documents.afterCommit(async () => {
        for (const hook of onCommit) await hook();
      });
      return result;
    } catch (error) {
      for (const hook of onRollback) await hook();
      if (error instanceof RolledBack) return error.result;
      throw error;
    }
  };
