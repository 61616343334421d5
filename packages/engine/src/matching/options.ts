import type { Document } from 'bson';
import type { Collation } from '../values/collation.js';

/** The context in which a filter is compiled. */
export interface FilterOptions {
  /** How strings compare. */
  readonly collation?: Collation | undefined;
  /** The values of `let`, which `$expr` reads as `$$name`. */
  readonly variables?: Document | undefined;
  /** Compiles the operand of `$expr`; a pipeline passes its own, which knows its variables. */
  readonly expression?: ((operand: unknown) => (document: Document) => unknown) | undefined;
}
