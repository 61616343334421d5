import type { Document } from 'bson';
import { type Members, readMembers } from '../expressions/operator.js';
import type { Scope } from '../expressions/scope.js';
import { type Flow, flowOf, PAUSE, type Paced } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import type { AggregationContext, CollectionAccess } from './context.js';

/** The output of a stage over some documents, each with the position of the input that it came from. */
interface Aligned {
  readonly documents: readonly Document[];
  readonly from: readonly number[];
}

/** A compiled stage. */
export interface Stage {
  /** Runs over a stream; lazily if the stage allows. */
  readonly run: (source: Flow<Document>) => Flow<Document>;
  /**
   * Runs over many documents at once while tracking which output came from which input. Only for stages that treat each document
   * independently (or sort them), so that running several streams together or separately gives the same result.
   */
  readonly align?: (documents: readonly Document[]) => Paced<Aligned>;
}

/** The context in which stages are compiled. */
export interface StageScope {
  readonly scope: Scope;
  readonly context: AggregationContext;
  /** If a `$lookup` only adds one list to the row: the lists that earlier stages have already added to it. */
  readonly kept?: readonly string[] | undefined;
  /** Whether `$meta` may refer to the values that documents were sorted by. */
  readonly keepsKeys?: boolean;
  /** The collection that the pipeline reads, if it is not the command's. */
  readonly from?: CollectionAccess | undefined;
  /** A collection that a stage reads besides. */
  readonly collection: (name: string, database?: string) => CollectionAccess;
  /** Compiles a pipeline inside a stage, in its own scope and on its own collection. */
  readonly pipeline: (stages: readonly Document[], scope: Scope, from?: CollectionAccess) => Stage[];
}

/** Compiles a stage's operand. */
export type CompileStage = (operand: unknown, within: StageScope, name: string) => Stage;

/** A stage whose operand has declared fields. */
export const ofMembers =
  (members: Members, compile: (spec: Document, within: StageScope, name: string) => Stage): CompileStage =>
  (operand, within, name) =>
    compile(readMembers(name, operand, members), within, name);

/** A stage that turns each document into one other. */
export function mapStage(change: (document: Document) => Document): Stage {
  return {
    run: function* run(source) {
      for (const document of source) {
        if (document === PAUSE) yield PAUSE;
        else {
          yield change(document);
          tick();
          if (isTurnOver()) yield PAUSE;
        }
      }
    },
    *align(documents) {
      const out: Document[] = [];
      for (const document of documents) {
        out.push(change(document));
        tick();
        if (isTurnOver()) yield PAUSE;
      }
      return { documents: out, from: documents.map((_, i) => i) };
    },
  };
}

/** The number of documents that are passed on at once. */
const FEW = 64;

/** A stage that turns each document into zero or more others. */
export function expandStage(expand: (document: Document) => readonly Document[]): Stage {
  return {
    run: function* run(source) {
      for (const document of source) {
        if (document === PAUSE) yield PAUSE;
        else {
          const made = expand(document);
          yield* made.length > FEW ? flowOf(made) : made;
          tick();
          if (isTurnOver()) yield PAUSE;
        }
      }
    },
    *align(documents) {
      const out: Document[] = [];
      const from: number[] = [];
      for (let i = 0; i < documents.length; i++) {
        for (const document of expand(documents[i] as Document)) {
          out.push(document);
          from.push(i);
        }
        tick();
        if (isTurnOver()) yield PAUSE;
      }
      return { documents: out, from };
    },
  };
}

/** Runs stages one after another. */
export function runStages(source: Flow<Document>, stages: readonly Stage[]): Flow<Document> {
  return stages.reduce((documents, stage) => stage.run(documents), source);
}
