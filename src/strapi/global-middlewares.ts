import { isObject } from '../values/plain-object.js';
import { asAnswer } from './errors.js';
import type { Handler, Values } from './types.js';
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

/** A middleware that notes what it uses in vain, and throws as Strapi would answer. */
export const notingMiddleware =
  (handler: Handler, note: (reason: string) => void): Handler =>
  async (ctx, next) => {
    const request = running.getStore() ?? { ctx, unsupported: null };
    const act = async (): Promise<void> => {
      try {
        await handler(ctx, next);
      } catch (error) {
        throw asAnswer(error);
      }
    };
    await (running.getStore() ? act() : running.run(request, act));
    if (!request.unsupported) return;
    note(request.unsupported.message);
    throw asAnswer(request.unsupported);
  };
