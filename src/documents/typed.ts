import type { Answer, Nothing } from '../typed/answer.js';
import type { ModelTypes } from '../typed/model.js';
import type { Fields, Populate, Selection, Shown } from '../typed/query.js';
import type { DocumentService } from './types.js';

interface Several<Model extends ModelTypes> {
  readonly documentId: string;
  readonly entries: readonly Partial<Answer<Model>>[];
}

interface Params<Model extends ModelTypes> extends Selection<Model> {
  readonly start?: number;
  readonly limit?: number;
  readonly publicationFilter?: string;
}

interface OneParams<Model extends ModelTypes> extends Omit<Params<Model>, 'locale'> {
  readonly documentId: string;
  /** Of `delete`, `publish`, `unpublish` and `discardDraft` also several, or `*`. */
  readonly locale?: string | readonly string[];
}

interface Data<Model extends ModelTypes> {
  readonly data: Model['input'];
}

/**
 * The Document Service of a content type that `mangrove types` has described: names, operators and values of a query are checked
 * against its attributes, and an answer has what `fields` and `populate` asked for.
 */
export interface TypedService<Model extends ModelTypes> extends Pick<DocumentService, 'forRequest'> {
  findMany<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    params?: Params<Model> & Shown<Model, F, P>,
  ): Promise<Answer<Model, F, P>[]>;
  findFirst<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    params?: Params<Model> & Shown<Model, F, P>,
  ): Promise<Answer<Model, F, P> | null>;
  findOne<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    params: OneParams<Model> & Shown<Model, F, P>,
  ): Promise<Answer<Model, F, P> | null>;
  count(params?: Params<Model>): Promise<number>;
  create<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    params: Params<Model> & Data<Model> & Shown<Model, F, P>,
  ): Promise<Answer<Model, F, P>>;
  update<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    params: OneParams<Model> & Data<Model> & Shown<Model, F, P>,
  ): Promise<Answer<Model, F, P> | null>;
  delete(params: OneParams<Model>): Promise<Several<Model>>;
  clone(params: OneParams<Model> & Partial<Data<Model>>): Promise<Several<Model>>;
  publish?(params: OneParams<Model>): Promise<Several<Model>>;
  unpublish?(params: OneParams<Model>): Promise<Several<Model>>;
  discardDraft?(params: OneParams<Model>): Promise<Several<Model>>;
}
