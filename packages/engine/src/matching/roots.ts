import type { Document } from 'bson';
import { rootOf } from '../values/paths.js';

const WHOLE = new Set(['$expr', '$where', '$jsonSchema', '$text']);

function collect(filter: Document, out: Set<string>): boolean {
  for (const [key, condition] of Object.entries(filter)) {
    if (WHOLE.has(key) || key.startsWith('$_internal')) return false;
    if (key.startsWith('$')) {
      for (const clause of Array.isArray(condition) ? condition : []) if (!collect(clause, out)) return false;
    } else {
      out.add(rootOf(key));
    }
  }
  return true;
}

/** The top-level fields that a filter and a sort read; undefined if it could be any. */
export function rootsOf(filter: Document, sort: Document | undefined): ReadonlySet<string> | undefined {
  const out = new Set<string>();
  if (!collect(filter, out)) return undefined;
  for (const path of Object.keys(sort ?? {})) out.add(rootOf(path));
  return out;
}
