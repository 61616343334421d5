import type { ClientSession } from 'mongodb';
import type { Budget } from '../../limits/budget.js';
import type { ContentType } from '../../schema/types.js';
import { oncePer } from '../../values/once-per.js';
import type { Store } from '../connection/store.js';

/** What a read runs on, and for which request. */
export interface ReadScope {
  readonly store: Store;
  /** The read sees at least what this session has seen. */
  readonly session?: ClientSession | undefined;
  /** The limits of the request; absent for scripts. */
  readonly budget?: Budget | undefined;
}

/** The store with what is known about the deployment of adopted collections. */
const ofContent = oncePer(
  (store: Store): Store => ({
    ...store,
    exactMetadata: store.content.exactMetadata,
  }),
);

/** The scope for reading a content type: a session is valid only for its own deployment. */
export function scopeFor(scope: ReadScope, { storage }: ContentType): ReadScope {
  const { store, session, budget } = scope;
  if (storage === null || !store.content.apart) return scope;
  const isOwn = store.content.client === store.client;
  return { store: ofContent(store), session: isOwn ? session : undefined, budget };
}
