import type { Document } from 'bson';
import { compileUpdate as compileApply, updateKind } from './compile-update.js';
import { makeUpsert } from './make-upsert.js';
import type { UpdateOptions } from './options.js';

/** An update ready to be applied. */
export interface CompiledUpdate {
  /** The new state of a document; the same value if nothing changes. */
  apply(document: Document): Document;
  /** The document that an upsert inserts. */
  insert(): Document;
  /** Whether it is a whole document, not operators. */
  readonly replaces: boolean;
}

/** Compiles the update of a statement. Throws MongoDB's code for a malformed one. */
export function compileStatement(
  update: Document | Document[],
  options: UpdateOptions & { readonly filter: Document },
): CompiledUpdate {
  const apply = compileApply(update, options);
  return {
    replaces: updateKind(update) === 'replacement',
    apply: (document) => apply(document),
    insert: () => makeUpsert(options.filter, update, options),
  };
}
