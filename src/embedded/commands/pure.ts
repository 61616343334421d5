import type { Document } from 'bson';
import {
  makeUpsert,
  compileUpdate as prepareUpdate,
  type UpdateOptions,
  updateKind,
} from '../update/index.js';

export { runPipeline } from '../aggregation/index.js';
export { compileFilter } from '../matching/index.js';
export { compileProjection } from '../projection/compile-projection.js';

/** An update ready to be applied. */
export interface CompiledUpdate {
  /** The new state of a document; the same value if nothing changes. */
  apply(document: Document): Document;
  /** The document that an upsert inserts. */
  insert(): Document;
  /** It is a whole document, not operators. */
  readonly replaces: boolean;
}

/** Compiles an update of a statement. Throws MongoDB's code for a malformed one. */
export function compileUpdate(
  update: Document | Document[],
  options: UpdateOptions & { readonly filter: Document },
): CompiledUpdate {
  const apply = prepareUpdate(update, options);
  return {
    replaces: updateKind(update) === 'replacement',
    apply: (document) => apply(document),
    insert: () => makeUpsert(options.filter, update, options),
  };
}
