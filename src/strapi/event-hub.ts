import type { Concerns, InnerMiddleware } from '../documents/middleware.js';
import type { RecordEvent } from '../events/events.js';
import { objectAt, objectsIn } from '../values/plain-object.js';
import { BY_QUERY } from './rows.js';
import type { Callable, Values } from './types.js';

/** The event of each action that writes. */
const EVENTS: Readonly<Record<string, string>> = {
  create: 'entry.create',
  clone: 'entry.create',
  update: 'entry.update',
  delete: 'entry.delete',
  publish: 'entry.publish',
  unpublish: 'entry.unpublish',
  discardDraft: 'entry.draft-discard',
  restore: 'entry.update',
};

/** `strapi.eventHub`: the project's listeners, and the events of writes, after they are committed. */
export function createEventHub(record: RecordEvent): {
  readonly hub: Values;
  readonly middleware: InnerMiddleware;
  readonly concerns: Concerns;
} {
  const listeners = new Map<string, Set<Callable>>();
  const subscribers = new Set<Callable>();
  const emit = async (name: string, ...given: unknown[]): Promise<void> => {
    for (const subscriber of subscribers) await subscriber(name, ...given);
    for (const listener of listeners.get(name) ?? []) await listener(...given);
  };
  const on = (name: string, listener: Callable): (() => void) => {
    listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    return () => off(name, listener);
  };
  const off = (name: string, listener: Callable): void => void listeners.get(name)?.delete(listener);
  const once = (name: string, listener: Callable): (() => void) => {
    const stop = on(name, async (...given) => {
      stop();
      await listener(...given);
    });
    return stop;
  };
  const subscribe = (subscriber: Callable): (() => void) => {
    subscribers.add(subscriber);
    return () => void subscribers.delete(subscriber);
  };
  const unsubscribe = (subscriber: Callable): void => void subscribers.delete(subscriber);
  const tell = (name: string, event: object): void =>
    void emit(name, event).catch((error: unknown) =>
      record({ name: 'listener-failed', event: name, err: error }),
    );

  const middleware: InnerMiddleware = async ({ uid, contentType, action, params, afterCommit }, next) => {
    const result = await next();
    const name = EVENTS[action];
    // As in Strapi, queries tell nothing.
    if (name === undefined || result === null || BY_QUERY in params) return result;
    const { entries } = objectAt(result);
    const written = Array.isArray(entries) ? objectsIn(entries) : [objectAt(result)];
    const model = uid.split('.').at(-1);
    for (const entry of written) {
      afterCommit(() => tell(name, { model, uid, entry }));
      const published =
        contentType.draftAndPublish &&
        (action === 'create' || action === 'update') &&
        objectAt(params)['status'] === 'published';
      if (published) afterCommit(() => tell('entry.publish', { model, uid, entry }));
    }
    return result;
  };
  const concerns: Concerns = (action) => action in EVENTS && (listeners.size > 0 || subscribers.size > 0);
  return {
    hub: { on, once, off, emit, subscribe, unsubscribe, addListener: on, removeListener: off },
    middleware,
    concerns,
  };
}
