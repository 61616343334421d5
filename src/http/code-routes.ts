import { errors } from '../errors.js';
import type { Grants } from '../query/read-plan.js';
import type { ProjectCode } from '../strapi/open.js';
import { REQUEST_PARTS, type RequestParts } from '../strapi/request-parts.js';
import type { Answering, CodeContext, CodeRoute } from '../strapi/types.js';
import { once } from '../values/once-per.js';
import type { Adapted } from './compat/index.js';
import { contentService } from './content-request.js';
import type { Controller, RequestContext, Route } from './context.js';
import { withForm } from './multipart.js';
import { originOf } from './origin.js';

const refuse: Controller = () => {
  throw errors.codeNotRun();
};

/** Closed to everyone, whatever their credential. The action is kept for listings. */
const closed = (route: Route): Route => ({ ...route, closed: true, controller: refuse });

/** In Strapi, a route with `auth: false` is open to everyone, but nobody may see relations through it. */
const NOBODY: Grants = { version: 'nobody', allows: () => false };

/**
 * The routes as the code of a Strapi project makes them: its own first, then the built-in ones that it does not
 * replace. Without running code, those that need it answer 403.
 */
export function codeRoutes(plain: readonly Route[], code: ProjectCode, adapting: Adapted): readonly Route[] {
  const { running, without } = code;
  const supported = (routes: readonly Route[]): readonly Route[] =>
    running?.isAttached ? routes.map((route) => unlessUnsupported(route, running)) : routes;
  const replaced = [...without, ...(running?.replaced ?? [])];
  const adapted = supported(adapting.adapted);
  const rest = adapted.filter(({ action }) => !replaced.some((prefix) => action?.startsWith(prefix)));
  if (!running) return rest.map((route) => (isClosed(route, code) ? closed(route) : route));
  const around = { plain: new Table(supported(plain)), adapted: new Table(adapted), adapting };
  return [...running.routes.flatMap((route) => rowsOf(route, around, running.isAttached)), ...rest];
}

interface Around {
  readonly plain: Table;
  readonly adapted: Table;
  readonly adapting: Adapted;
}

/** A built-in route; if an extension changed what it uses in Strapi, it is a 501. */
function unlessUnsupported(route: Route, running: Running): Route {
  const because = route.action === null ? null : running.closedFor(route.action);
  if (!because) return route;
  return {
    ...route,
    controller() {
      throw errors.strapiUnsupported(because.message);
    },
  };
}

const isClosed = ({ action }: Route, code: ProjectCode): boolean =>
  code.closed.some(({ prefix }) => prefix === null || action?.startsWith(prefix));

type Running = NonNullable<ProjectCode['running']>;

/** The built-in routes, by the names under which code asks for them. */
class Table {
  private readonly byAction = new Map<string, Route>();
  private readonly byAddress = new Map<string, Route>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      this.byAddress.set(`${route.method} ${route.path}`, route);
      if (route.action !== null && !this.byAction.has(route.action)) this.byAction.set(route.action, route);
    }
  }

  /** The route that answers a core action; of several, the one with the same address. */
  coreOf({ core, method, path }: CodeRoute): Route | undefined {
    if (core === null) return undefined;
    const same = this.byAddress.get(`${method} ${path}`);
    return same?.action === core ? same : this.byAction.get(core);
  }

  of(action: string): Route | undefined {
    return this.byAction.get(action);
  }
}

/**
 * A route of the project's code. One for a core action is adapted as a whole, so that its code sees the terms of
 * Strapi 5.
 */
function rowsOf(route: CodeRoute, around: Around, isAttached: boolean): readonly Route[] {
  const row = plainRow(route, around, isAttached);
  if (row.closed || !around.plain.coreOf(route)) return [row];
  const { adapting } = around;
  // An open route has no action of its own.
  const core = { ...row, action: route.core };
  const { operation, controller } = adapting.adapt(core);
  return [
    { ...row, ...(operation && { operation }), controller },
    ...(row.pattern ? [] : adapting.localized(core)).map((one) => ({ ...one, action: row.action })),
  ];
}

function plainRow(route: CodeRoute, { plain, adapted }: Around, isAttached: boolean): Route {
  const { method, path, pattern, action, access, outsidePrefix } = route;
  const core = plain.coreOf(route);
  const row: Route = {
    method,
    path,
    ...(pattern && { pattern }),
    action,
    ...(outsidePrefix && { outsidePrefix }),
    operation: core?.operation ?? { kind: 'own', described: {} },
    controller: refuse,
  };
  const answering = isAttached ? readyOf(route) : null;
  if (route.closed || answering === 'broken') return closed(row);
  const answer: Controller = async (ctx, identity, deps) => {
    const caller = access === 'open' ? { ...identity, grants: NOBODY } : identity;
    if (!answering?.isNeeded()) {
      await core?.controller(ctx, caller, deps);
      return;
    }
    const known = access === 'anyCredential' ? await deps.access.identify(ctx.get('authorization')) : caller;
    ctx.exchange.identity = known;
    const parts: RequestParts = {
      identity: known,
      content: (uid) => contentService(ctx, known, deps, uid),
      documents: once(() => deps.documents.attributedTo(originOf(ctx, known))),
      builtIn: async (name) => {
        // Of several routes of an action, the one that was asked.
        const asked = name === route.core ? core : (core ? plain : adapted).of(name);
        await asked?.controller(ctx, known, deps);
      },
    };
    ctx.exchange.isShown = answering.looks;
    Object.assign(ctx, { [REQUEST_PARTS]: parts });
    showBody(ctx);
    await withForm(ctx, deps, () =>
      answering.run(
        seenBy(ctx),
        async () => core?.controller(ctx, known, deps),
        async (handler) => {
          const own: Controller = async () => void (await handler());
          await (core?.around?.(own) ?? own)(ctx, known, deps);
        },
      ),
    );
  };
  return {
    ...row,
    ...(answering?.looks && { operation: { kind: 'own', described: {} } }),
    controller: answer,
  };
}

/** Where Strapi's parser leaves the text of a body, which signatures of webhooks are checked with. */
const UNPARSED = Symbol.for('unparsedBody');

/** The body as Strapi's parser leaves it: of a request whose body is not read, an empty object. */
function showBody({ request }: RequestContext): void {
  request.body ??= {};
  const { body, rawBody } = request;
  if (typeof body === 'object' && body !== null && typeof rawBody === 'string')
    Object.defineProperty(body, UNPARSED, { value: rawBody, configurable: true, writable: true });
}

const seenBy = (ctx: RequestContext): CodeContext => ctx as unknown as CodeContext;

const readyOf = (route: CodeRoute): Answering | 'broken' => {
  try {
    return route.handler();
  } catch {
    return 'broken';
  }
};
