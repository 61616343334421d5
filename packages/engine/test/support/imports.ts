import { join, normalize } from 'node:path';
import ts from 'typescript';

/** What a source file imports, at its start or later, and exports again, as it is written there. */
export const importsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, from, later]) => from ?? later ?? '',
  );

/** The file within a folder that an import leads to; undefined if it is outside. */
export function targetIn(folder: string, file: string, from: string): string | undefined {
  if (!from.startsWith('.')) return undefined;
  const target = normalize(join(file, '..', from)).replace(/\.js$/, '.ts');
  return target.startsWith(folder) ? target.slice(folder.length) : undefined;
}

/** Without comments and strings. */
export const codeOf = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '')
    .replaceAll(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'/g, '""');

/** The names that several files export, each with these. */
export function exportedTwice(sources: ReadonlyMap<string, string>): string[] {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources)
    for (const [, name = ''] of codeOf(text).matchAll(
      /^export (?:(?:async|abstract) )*(?:function\*?|const|class|interface|type) ([\w$]+)/gm,
    ))
      files.set(name, [...(files.get(name) ?? []), file]);
  return [...files]
    .filter(([, list]) => list.length > 1)
    .map(([name, list]) => `${name}: ${list.sort().join(', ')}`);
}

/** Those that reach themselves, each with the path that it takes. */
export function circlesIn(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (at: string, way: readonly string[]): void => {
    if (way.includes(at)) circles.push([...way.slice(way.indexOf(at)), at].join(' → '));
    else if (!done.has(at)) {
      for (const next of arrows.get(at) ?? []) visit(next, [...way, at]);
      done.add(at);
    }
  };
  for (const start of arrows.keys()) visit(start, []);
  return circles;
}

/** Functions with more than four parameters, as `file:line`. */
export function longParameterLists(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && node.parameters.length > 4)
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
    ts.forEachChild(node, look);
  };
  ts.forEachChild(source, look);
  return found;
}
