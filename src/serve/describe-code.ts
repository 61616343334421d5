import type { Closed, ProjectCode } from '../code/types.js';
import type { AppEvent } from '../events/events.js';

const placeOf = (at: Closed): string => {
  if ('everything' in at) return 'every route';
  if ('action' in at) return at.action;
  if ('prefix' in at) return `${at.prefix}*`;
  return `${at.method.toUpperCase()} ${at.path}`;
};

/**
 * The events that describe the project's code: each file, the routes that are closed and why, and how to open
 * them.
 */
export function describeCode({ files, closings, warnings }: ProjectCode): readonly AppEvent[] {
  const reasons = new Map<string, string[]>();
  for (const { at, because } of closings)
    reasons.set(because, [...new Set([...(reasons.get(because) ?? []), placeOf(at)])]);
  const names = [...new Set(closings.flatMap(({ names: [first] }) => (first === undefined ? [] : [first])))];
  return [
    ...warnings,
    ...files.map(({ file, kind, does }): AppEvent => ({ name: 'code-not-run', file, kind, does })),
    ...[...reasons].map(([reason, routes]): AppEvent => ({ name: 'routes-closed', routes, reason })),
    ...(names.length === 0 ? [] : [{ name: 'routes-can-be-opened' as const, names }]),
  ];
}
