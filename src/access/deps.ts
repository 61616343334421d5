import type { Documents } from '../documents/types.js';
import type { CheckedBody } from '../documents/validate/check-body.js';
import type { Entrant } from '../limits/gate.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import type { Sequences } from '../store/entries/sequence.js';
import type { AuthCache } from './identity/auth-cache.js';
import type { Mailer } from './mail.js';
import type { AccessSettings } from './settings.js';

/** What the operations of this module need. */
export interface AccessDeps {
  readonly store: Store;
  readonly schema: Schema;
  readonly documents: Documents;
  /** The content type of accounts, including attributes added by the project. */
  readonly userType: ContentType;
  /** Validates the body of an account like that of any entry. */
  readonly checkBody: (data: unknown, partial: boolean) => CheckedBody;
  readonly settings: AccessSettings;
  readonly authCache: AuthCache;
  readonly sequences: Sequences;
  readonly mailer: Mailer;
  /**
   * Called before the first change of an operation: until then an aborted request ends it, afterwards it is
   * completed.
   */
  begin(): void;
  /** As whom an operation waits: until its first change, an aborted request ends the waiting. */
  entrant(): Entrant;
  /**
   * Serializes checks of names and the writes that follow them within this process; across processes the
   * unique indexes decide.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** The next numeric id of a content type or system collection. */
export const nextId = async (sequences: Sequences, name: string): Promise<number> => {
  const [id] = await sequences.take(name, 1);
  if (id === undefined) throw new TypeError(`sequence ${name} gave nothing`);
  return id;
};
