import type { Closed, ProjectCode } from '../code/types.js';

const placeOf = (at: Closed): string => {
  if ('everything' in at) return 'every route';
  if ('action' in at) return at.action;
  if ('prefix' in at) return `${at.prefix}*`;
  return `${at.method.toUpperCase()} ${at.path}`;
};

/** What a person reads of the project's code: each file, what is closed and why, and how to open it. */
export function describeCode({ files, closings, warnings }: ProjectCode): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { at, because } of closings)
    reasons.set(because, [...new Set([...(reasons.get(because) ?? []), placeOf(at)])]);
  const names = [...new Set(closings.flatMap(({ names: [first] }) => (first === undefined ? [] : [first])))];
  return [
    ...warnings,
    ...files.map(({ file, kind, does }) => `${file} (${kind}) is not run: it ${does}`),
    ...[...reasons].map(([because, places]) => `closed (403): ${places.join(', ')}, as ${because}`),
    ...(names.length === 0
      ? []
      : [
          `to serve what is closed without that code: --ignore-code, or --ignore-code with some of: ${names.join(' ')}; code.ignore in config/api keeps it`,
        ]),
  ];
}
