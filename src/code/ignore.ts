import type { Closed, Closing, ProjectCode } from './types.js';

/** What the operator takes responsibility for: true is everything, else names of policies, middlewares or files. */
type Ignored = true | readonly string[];

/** The code without the closings that the operator lifts. */
export const ignoreCode = (code: ProjectCode, ignored: Ignored): ProjectCode => ({
  ...code,
  closings:
    ignored === true
      ? []
      : code.closings.filter(({ names }) => !names.some((name) => ignored.includes(name))),
});

/** A policy of the project's own that names a route: an action, every action of a type, or a method and a path. */
const names = (pattern: string, at: Closed): boolean => {
  if ('path' in at) return pattern === `${at.method.toUpperCase()} ${at.path}`;
  if (!('action' in at)) return false;
  return pattern === at.action || (pattern.endsWith('.*') && at.action.startsWith(pattern.slice(0, -1)));
};

/** The code without the closings by policies for which the project has a policy of Mangrove's, asked for by `asked`. */
export const withoutReplaced = (code: ProjectCode, asked: readonly string[]): ProjectCode => ({
  ...code,
  closings: code.closings.filter(
    ({ at, policy }) => !(policy && asked.some((pattern) => names(pattern, at))),
  ),
});

const address = (path: string): string => path.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');

/** Whether a route at `at` may be asked by requests for `path`, too; what a pattern leaves open, it may. */
function covers(at: string, path: string): boolean {
  const parts = address(at).split('/');
  const asked = address(path).split('/');
  const open = parts.findIndex((part) => /[^\w:.~-]/.test(part));
  const fixed = open === -1 ? parts : parts.slice(0, open);
  const fits = fixed.every((part, index) => part === asked[index] || part === ':');
  return fits && (open === -1 ? fixed.length === asked.length : true);
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly action: string | null;
}

const TESTS = (at: Closed, { method, path, action }: Asked): boolean => {
  if ('everything' in at) return true;
  if ('action' in at) return at.action === action;
  if ('prefix' in at) return action?.startsWith(at.prefix) ?? false;
  return (at.method === 'all' || at.method === method) && covers(at.path, path);
};

/** Why a route is closed; undefined where it is not. */
export const closingOf = (closings: readonly Closing[], route: Asked): Closing | undefined =>
  closings.find(({ at }) => TESTS(at, route));
