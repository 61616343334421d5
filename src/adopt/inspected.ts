/** What is known of the collections, and of the references between them. */
import type { CollectionFacts } from '../store/adopted/inspect.js';
import type { Candidate, Findings } from './model.js';
import type { TypeName } from './names.js';
import type { PathValues } from './statistics.js';

/**
 * The name of a field means the collection, as `student_id` does `students`, or is only the name of the key there. What a
 * model or a DBRef says is meant, too.
 */
export type Agreement = 'collection' | 'field';

/** An inspected collection. */
export interface Inspected {
  readonly facts: CollectionFacts;
  readonly name: TypeName;
  readonly values: PathValues;
  readonly whole: boolean;
  readonly findings: Findings;
}

export interface FoundReference {
  readonly from: Inspected;
  readonly candidate: Candidate;
  readonly to: Inspected;
  /** The path in the target. */
  readonly path: string;
  readonly probed: number;
  readonly found: number;
  /** What the names have in common; null if nothing. */
  readonly agreement: Agreement | null;
  /** The keys are strings on one side, and ObjectIds or numbers on the other. */
  readonly texts: boolean;
  /** No two documents refer to the same target. */
  readonly single: boolean;
  /** Other values of the field refer to other collections. */
  readonly among: boolean;
  /** Some values of the field do not refer to any known document. */
  readonly partly?: true;
  /** How many values of the path in the target occur again, so that they refer to several documents. */
  readonly repeated: number;
  /** The name of the other side, if a model declares it. */
  readonly inverse?: string;
}

/** Paths with a unique index of their own that is not partial. */
export const uniquePaths = ({ indexes }: CollectionFacts): readonly string[] =>
  indexes.flatMap(({ keys, unique, partial }) => {
    const paths = Object.keys(keys);
    return unique && !partial && paths.length === 1 ? paths : [];
  });

export const isUniquePath = (facts: CollectionFacts, path: string): boolean =>
  uniquePaths(facts).includes(path);
