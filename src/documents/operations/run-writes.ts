import type { ContentType } from '../../schema/types.js';
import { commitWrite } from '../commit/commit.js';
import { type DocumentsContext, newAttempt, type WriteContext } from '../context.js';
import type { DocumentParams, ReadParams } from '../params.js';
import { EVERYTHING } from '../read/find.js';
import type { Reader } from '../read/reader.js';
import type { Answer, Answers, Show } from '../types.js';
import { createTurns, untilUndisturbed } from './retry.js';
import type { Version } from './versions.js';

type Operation<P, T> = (write: WriteContext, params: P) => Promise<T>;

/** How the operations of one type are run, and how their results become answers. */
export interface Writes {
  /** One entry, shown as it is afterwards. */
  one<P extends ReadParams, T extends Version | null>(
    params: P,
    documentId: string | null,
    operation: Operation<P, T>,
    show?: Show,
  ): Promise<T extends null ? Answer | null : Answer>;
  /** Entries, shown as they are afterwards. */
  many<P extends DocumentParams>(params: P, operation: Operation<P, Version[]>): Promise<Answers>;
  /** Entries that the operation removes, shown as they were. */
  gone<P extends DocumentParams>(params: P, operation: Operation<P, Version[]>): Promise<Answers>;
}

const takeTurns = createTurns();

export function createWrites(context: DocumentsContext, reader: Reader, type: ContentType): Writes {
  const shower =
    ({ fields, populate }: ReadParams): Show =>
    async ({ documentId, locale, status }) => {
      const query = { fields, populate, status, locale };
      return (await reader.one(type, documentId, query, EVERYTHING)).data;
    };

  /** A query that cannot be answered is refused before anything is written. */
  const checkQuery = (params: ReadParams): void => {
    const { data, documentId, status, locale, ...query } = params;
    reader.prepare({
      type,
      query,
      caller: EVERYTHING,
      mode: 'service',
      v4: false,
      target: 'one',
    });
  };

  const run = <P, T>(
    params: P,
    documentId: string | null,
    operation: Operation<P, T>,
    look: (result: T) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<{ result: T; seen: unknown }> => {
    const work = () =>
      untilUndisturbed(async (attempt) => {
        const write = newAttempt(context, type, attempt);
        const result = await operation(write, params);
        const seen = await look(result);
        await commitWrite(write);
        return { result, seen };
      });
    // A single type has one document, which a first write does not know yet.
    if (type.kind === 'singleType') return takeTurns(type.uid, work);
    return documentId === null ? work() : takeTurns(`${type.uid}/${documentId}`, work);
  };

  const showAll = async (versions: readonly Version[], show: Show): Promise<Answer[]> => {
    const shown = await Promise.all(versions.map(show));
    return shown.filter((entry) => entry !== null) as Answer[];
  };

  return {
    async one(params, documentId, operation, show = shower(params)) {
      checkQuery(params);
      const { result } = await run(params, documentId, operation);
      return (result && (await show(result))) as Answer;
    },
    async many(params, operation) {
      checkQuery(params);
      const { result } = await run(params, params.documentId, operation);
      const documentId = result[0]?.documentId ?? params.documentId;
      return { documentId, entries: await showAll(result, shower(params)) };
    },
    async gone(params, operation) {
      checkQuery(params);
      const { seen } = await run(params, params.documentId, operation, (versions) =>
        showAll(versions, shower(params)),
      );
      return { documentId: params.documentId, entries: seen as Answer[] };
    },
  };
}
