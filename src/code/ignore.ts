import type { Closed, Closing, ProjectCode } from './types.js';

/** What the operator takes responsibility for: true is everything, else names of policies, middlewares or files. */
export type Ignored = true | readonly string[];

/** The code without the closings that the operator lifts. */
export const ignoreCode = (code: ProjectCode, ignored: Ignored): ProjectCode => ({
  ...code,
  closings:
    ignored === true
      ? []
      : code.closings.filter(({ names }) => !names.some((name) => ignored.includes(name))),
});

const address = (path: string): string => path.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly action: string | null;
}

const TESTS = (at: Closed, { method, path, action }: Asked): boolean => {
  if ('everything' in at) return true;
  if ('action' in at) return at.action === action;
  if ('prefix' in at) return action?.startsWith(at.prefix) ?? false;
  return at.method === method && address(at.path) === address(path);
};

/** Why a route is closed; undefined where it is not. */
export const closingOf = (closings: readonly Closing[], route: Asked): Closing | undefined =>
  closings.find(({ at }) => TESTS(at, route));
