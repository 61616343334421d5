import type { Document } from 'bson';
import type { Scope } from '../expressions/scope.js';
import type { AggregationContext } from './context.js';

/** The output of a stage over some documents, each with the place of the input that it came from. */
export interface Aligned {
  readonly documents: readonly Document[];
  readonly from: readonly number[];
}

/** A compiled stage. */
export interface Stage {
  /** Runs over a stream; lazy where the stage allows. */
  readonly run: (source: Iterable<Document>) => Iterable<Document>;
  /**
   * Runs over many documents at once while telling which came from which. Only for stages that treat each document by
   * itself (or sort them), so that running several streams together and apart is the same.
   */
  readonly align?: (documents: readonly Document[]) => Aligned;
}

/** What stages are compiled within. */
export interface StageScope {
  readonly scope: Scope;
  readonly context: AggregationContext;
  /** Whether the stage before makes documents that nobody else holds, so that this one may add to them. */
  readonly ownsInput?: boolean;
  /** Compiles a pipeline within a stage, in a scope of its own. */
  readonly pipeline: (stages: readonly Document[], scope: Scope) => Stage[];
}

/** Compiles a stage's operand. */
export type CompileStage = (operand: unknown, within: StageScope, name: string) => Stage;

/** A stage that turns each document into one. */
export function mapStage(change: (document: Document) => Document): Stage {
  return {
    run: function* run(source) {
      for (const document of source) yield change(document);
    },
    align: (documents) => ({ documents: documents.map(change), from: documents.map((_, i) => i) }),
  };
}

/** Runs stages one after the other. */
export function runStages(source: Iterable<Document>, stages: readonly Stage[]): Iterable<Document> {
  return stages.reduce((documents, stage) => stage.run(documents), source);
}
