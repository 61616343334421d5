/** The types of a batch (docs/batch.md). */
import type { ModelTypes, PublicTypes } from '../query-types/model.js';
import type { ApiTypes, LooseEntry, UntypedApi } from './api-types.js';

/** What a write in a batch may have besides its data. */
export interface Into {
  readonly locale?: string;
  readonly status?: 'published' | 'draft';
}

/** An action on a document without data. */
interface ChangeIn<Name> {
  readonly action: 'delete' | 'publish' | 'unpublish' | 'discardDraft';
  readonly plural: Name;
  readonly locale?: string;
  /** A revision or entity tag that the document must have. */
  readonly ifMatch?: string;
  /** Of publish and unpublish: when it is done, in place of now. */
  readonly publishAt?: string;
  readonly unpublishAt?: string;
}

interface UpdateIn<Name, Data> extends Into {
  readonly action: 'update';
  readonly plural: Name;
  readonly data: Data;
  readonly ifMatch?: string;
}

interface CreateIn<Name, Data> extends Into {
  readonly action: 'create';
  readonly plural: Name;
  readonly data: Data;
}

interface UpsertIn<Name, Data> extends Into {
  readonly action: 'upsert';
  readonly plural: Name;
  /** A unique attribute: the document that has its value in `data` is updated, if there is one. */
  readonly by: string;
  readonly data: Data;
}

/** `$0.documentId` refers to the first operation of the batch. */
interface OfDocument {
  readonly documentId: string;
}

type InCollection<Name, Data> =
  | CreateIn<Name, Data>
  | UpsertIn<Name, Data>
  | (UpdateIn<Name, Data> & OfDocument)
  | (ChangeIn<Name> & OfDocument);

type InSingle<Name, Data> = UpdateIn<Name, Data> | ChangeIn<Name>;

type DataOf<Model> = [Model] extends [never]
  ? object
  : Model extends ModelTypes
    ? PublicTypes<Model>['input']
    : object;

/** One operation of a batch; a type is named as in the API's paths. */
export type BatchOperation<Api extends ApiTypes = UntypedApi> =
  | {
      [Name in keyof Api['collections'] & string]: InCollection<Name, DataOf<Api['collections'][Name]>>;
    }[keyof Api['collections'] & string]
  | {
      [Name in keyof Api['singles'] & string]: InSingle<Name, DataOf<Api['singles'][Name]>>;
    }[keyof Api['singles'] & string];

export interface BatchOptions {
  /** False: each operation is stored by itself, and its outcome may be an error. */
  readonly atomic?: boolean;
  /** Only says, in `meta.changes`, what would be stored. */
  readonly dryRun?: boolean;
}

/** What became of an operation. */
export interface BatchOutcome {
  readonly status: number;
  readonly data: LooseEntry | null;
  readonly error?: { readonly name: string; readonly message: string; readonly details?: unknown };
  readonly code?: string;
}
