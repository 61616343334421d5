import type { Closed, Closing, ProjectCode } from './types.js';

/** What the operator takes responsibility for: everything, or the named policies, middlewares or files. */
type Ignored = true | readonly string[];

/** The code without the closings that the operator ignores. */
export const ignoreCode = (code: ProjectCode, ignored: Ignored): ProjectCode => ({
  ...code,
  closings:
    ignored === true
      ? []
      : code.closings.filter(({ names }) => !names.some((name) => ignored.includes(name))),
});

/**
 * Whether a project's own policy names a route: by action, by all actions of a type, or by method and path.
 */
const names = (pattern: string, at: Closed): boolean => {
  if ('path' in at) return pattern === `${at.method.toUpperCase()} ${at.path}`;
  if (!('action' in at)) return false;
  return pattern === at.action || (pattern.endsWith('.*') && at.action.startsWith(pattern.slice(0, -1)));
};

/**
 * The code without closings by policies that the project has replaced with Mangrove policies, whose patterns
 * are `asked`.
 */
export const withoutReplaced = (code: ProjectCode, asked: readonly string[]): ProjectCode => ({
  ...code,
  closings: code.closings.filter(
    ({ at, policy }) => !(policy && asked.some((pattern) => names(pattern, at))),
  ),
});

const address = (path: string): string => path.toLowerCase().replace(/:\w+/g, ':').replace(/\/$/, '');

/** Whether a route at `at` may match requests for `path`; a wildcard may match anything. */
function covers(at: string, path: string): boolean {
  const parts = address(at).split('/');
  const asked = address(path).split('/');
  const open = parts.findIndex((part) => /[^\w:.~-]/.test(part));
  const fixed = open === -1 ? parts : parts.slice(0, open);
  const fits = fixed.every((part, index) => part === asked[index] || part === ':');
  return fits && (open === -1 ? fixed.length === asked.length : true);
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly action: string | null;
}

const closes = (at: Closed, { method, path, action }: Route): boolean => {
  if ('everything' in at) return true;
  if ('action' in at) return at.action === action;
  if ('prefix' in at) return action?.startsWith(at.prefix) ?? false;
  return (at.method === 'all' || at.method === method) && covers(at.path, path);
};

/** Why a route is closed; undefined if it is not. */
export const closingOf = (closings: readonly Closing[], route: Route): Closing | undefined =>
  closings.find(({ at }) => closes(at, route));
