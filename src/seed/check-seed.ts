import { ApiError } from '../errors.js';
import { derivedId } from '../transfer/source/derived-id.js';
import { SeedError } from './error.js';
import { checkFile } from './library.js';
import { visitLinks } from './links.js';
import { createNames, type NamedDocuments } from './names.js';
import { readRow } from './read-row.js';
import { createReferences } from './references.js';
import { rowErrors, seedErrorMessage } from './row-errors.js';
import { filesAt, isModule, seedSourceOf } from './sources.js';
import { isInOtherLocale, type SeedParts, type SeedProblem, type SeedRow } from './types.js';

type CheckParts = Pick<SeedParts, 'schema' | 'config'>;

/** Returns what is wrong with a row. `isVersion`: it completes a document that another row creates. */
type RowCheck = (row: SeedRow, isVersion: boolean) => readonly string[] | Promise<readonly string[]>;

async function* noneStored(): AsyncIterable<never> {}

/**
 * Checks the rows of a seed as if the database were empty, without one: keys, values, references within the
 * seed, and files (but not URLs). Modules are not run. Rows are read again for each step, so that a large seed
 * need not fit into memory.
 * @param path a file or folder
 * @throws SeedError if a file cannot be read
 */
export async function checkSeed(parts: CheckParts, path: string): Promise<readonly SeedProblem[]> {
  const { schema, config } = parts;
  const all = await filesAt(path);
  const files = all.filter((file) => !isModule(file));
  const names = createNames(noneStored);
  const someUnknown = files.length < all.length;
  const find: NamedDocuments['find'] = (type, attribute, text) =>
    names.find(type, attribute, text) ??
    // Modules and other parts of the server may store it.
    (someUnknown || type.origin !== 'api' ? derivedId(text) : undefined);
  const references = createReferences(schema, { ...names, find }, {});

  const eachRow = async (check: RowCheck): Promise<readonly SeedProblem[]> => {
    const problems: SeedProblem[] = [];
    for (const file of files) {
      const source = await seedSourceOf(file);
      for await (const given of source.rows())
        try {
          const { place } = given;
          for (const [at, row] of readRow(schema, source, given, {}).entries())
            for (const message of await check(row, at > 0 || isInOtherLocale(row, config)))
              problems.push({ place, message });
        } catch (error) {
          if (!(error instanceof SeedError) && !(error instanceof ApiError)) throw error;
          problems.push({ place: given.place, message: seedErrorMessage(error) });
        }
    }
    return problems;
  };

  // The attributes by which rows refer to documents, the documents that have them, and then the rows.
  await eachRow((row) => references.prepare([row]).then(() => []));
  await eachRow(({ type, documentId, place, data }) => {
    names.note(type, documentId ?? derivedId(place), data);
    return [];
  });
  return eachRow(async (row, isVersion) => [
    ...(await missingFiles(parts, row)),
    ...rowErrors(parts, row, references.link(row, new Map()), isVersion),
  ]);
}

async function missingFiles({ schema }: CheckParts, row: SeedRow): Promise<readonly string[]> {
  const items = new Set<unknown>();
  visitLinks(schema, row, (link, item) => {
    if (link.kind === 'media') items.add(item);
  });
  const messages: string[] = [];
  for (const item of items)
    await checkFile(item, row.folder).catch((error: unknown) => {
      if (!(error instanceof SeedError)) throw error;
      messages.push(error.message);
    });
  return messages;
}
