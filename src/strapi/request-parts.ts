import type { Identity } from '../access/index.js';
import type { RequestService } from '../documents/request.js';
import type { Documents } from '../documents/types.js';
import { mediaThrough } from '../media/index.js';
import type { Live } from './live.js';
import type { CodeContext } from './types.js';
import { running } from './unsupported.js';

/** What a request carries for the core controllers. */
export interface RequestParts {
  readonly identity: Identity;
  /** The type's service for this request, as its query and its body are at the moment. */
  content(uid: string): RequestService;
  /** The Document Service, whose writes the log of changes attributes to the caller. */
  documents(): Documents;
  /** Answers as the built-in controller of an action does. */
  builtIn(action: string): Promise<void>;
}

export const REQUEST_PARTS = Symbol('mangrove.request');

const partsIn = (ctx: CodeContext): RequestParts | undefined => Reflect.get(ctx, REQUEST_PARTS);

/** The context of the request whose code is running; undefined outside of one. */
export const contextNow = (): CodeContext | undefined => running.getStore()?.ctx;

const attributed = new WeakMap<RequestParts, Live>();

/** What the running code works with: in a request, its writes are attributed to the caller. */
export function liveNow(live: Live): Live {
  const ctx = contextNow();
  const parts = ctx && partsIn(ctx);
  if (!parts) return live;
  const known = attributed.get(parts);
  if (known) return known;
  const documents = parts.documents();
  const made = { ...live, documents, media: mediaThrough(live.media, documents) };
  attributed.set(parts, made);
  return made;
}

/**
 * What the request of a context carries. Code may pass a context of its own making: it belongs to the request that is
 * running. @throws TypeError outside of a route
 */
export const partsOf = (ctx: CodeContext): RequestParts => {
  const parts = partsIn(ctx) ?? partsIn(contextNow() ?? ctx);
  if (!parts) throw new TypeError('called outside of a route');
  return parts;
};

/** Who sent the request whose code is running. @throws TypeError outside of one */
export const callerNow = (): Identity => {
  const ctx = contextNow();
  if (!ctx) throw new TypeError('called outside of a route');
  return partsOf(ctx).identity;
};
