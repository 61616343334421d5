import { isObject } from '../values/plain-object.js';
import { asAnswer } from './errors.js';
import type { Live } from './live.js';
import type { Handler, Values } from './types.js';
import { forRequest, timed } from './under-way.js';
import { running } from './unsupported.js';

/** The places of middlewares among those of the server, from the outermost. */
const PLACES = ['first', 'beforeBody', 'beforeRoutes'] as const;
type Place = (typeof PLACES)[number];

/** Where what comes after one of Strapi's runs: what it adds to an answer, or has read, is there. */
const AFTER: Readonly<Record<string, Place>> = {
  'strapi::security': 'beforeBody',
  'strapi::cors': 'beforeBody',
  'strapi::poweredBy': 'beforeBody',
  'strapi::query': 'beforeBody',
  'strapi::body': 'beforeRoutes',
};

/** A middleware of the whole server, and where it runs. */
export interface GlobalMiddleware {
  readonly name: string;
  readonly place: Place;
  readonly handler: Handler;
}

/** An own middleware that `config/middlewares` lists. */
interface Listed extends Pick<GlobalMiddleware, 'name' | 'place'> {
  readonly entry: unknown;
  /** The file or package that it is loaded from; null: it is named. */
  readonly resolve: string | null;
}

/** The project's own middlewares of `config/middlewares`, in their order; those of Strapi only say where they are. */
export function* listedMiddlewares(list: unknown): Generator<Listed> {
  let place: Place = 'first';
  for (const entry of Array.isArray(list) ? list : []) {
    const { name: given, resolve }: Values = isObject(entry) ? entry : { name: entry };
    if (typeof given === 'string' && given.startsWith('strapi::')) {
      const after = AFTER[given] ?? 'first';
      if (PLACES.indexOf(after) > PLACES.indexOf(place)) place = after;
      continue;
    }
    const name = String(typeof given === 'function' ? 'a function' : (given ?? resolve));
    yield { entry, name, place, resolve: typeof resolve === 'string' ? resolve : null };
  }
}

/** A middleware that records what it uses in vain, and throws as Strapi would answer. */
export const recordingMiddleware =
  (name: string, handler: Handler, live: () => Pick<Live, 'record'>): Handler =>
  async (ctx, next) => {
    const { record } = live();
    const act = async (): Promise<void> => {
      try {
        await handler(ctx, next);
      } catch (error) {
        throw asAnswer(error);
      }
    };
    const outer = running.getStore();
    if (outer) await timed(ctx, record, outer, act);
    const unsupported = outer ? outer.unsupported : await forRequest(ctx, record, act);
    if (!unsupported) return;
    record({ name: 'route-unsupported', route: name, reason: unsupported.message });
    throw asAnswer(unsupported);
  };
