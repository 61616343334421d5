import { isObject } from '../values/plain-object.js';
import { asAnswer } from './errors.js';
import type { Live } from './live.js';
import type { Handler, Values } from './types.js';
import { forRequest } from './under-way.js';
import { running } from './unsupported.js';

/** A middleware of the whole server, and where it runs. */
export interface GlobalMiddleware {
  readonly name: string;
  readonly place: 'first' | 'beforeRoutes';
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
  let place: GlobalMiddleware['place'] = 'first';
  for (const entry of Array.isArray(list) ? list : []) {
    const { name: given, resolve }: Values = isObject(entry) ? entry : { name: entry };
    if (typeof given === 'string' && given.startsWith('strapi::')) {
      if (given === 'strapi::query' || given === 'strapi::body') place = 'beforeRoutes';
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
    if (outer) await act();
    const unsupported = outer ? outer.unsupported : await forRequest(ctx, record, act);
    if (!unsupported) return;
    record({ name: 'route-unsupported', route: name, reason: unsupported.message });
    throw asAnswer(unsupported);
  };
