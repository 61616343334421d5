import { randomOf } from '../../packages/engine/test/support/random.js';
import type { Documents } from '../../src/documents/types.js';
import { ApiError } from '../../src/errors.js';
import { HOME, OWNER, PAGE, TARGET } from './shape.js';

/** The documents that a round starts with, by type. */
export interface Pool {
  readonly owners: readonly string[];
  readonly targets: readonly string[];
  readonly pages: readonly string[];
  readonly marks: readonly string[];
}

/** One process's part in a round. */
export interface Orders {
  readonly seed: number;
  readonly pool: Pool;
  /** Numbers of its writers; each connects marks of its own. */
  readonly writers: readonly number[];
  readonly calls: number;
}

/** An acknowledged connection: it remains, unless the owner was discarded or deleted. */
export interface Connected {
  readonly owner: string;
  readonly mark: string;
}

export interface Report {
  readonly connected: readonly Connected[];
  readonly undone: readonly string[];
  readonly calls: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Errors that must never occur: anything that would be a 500. */
  readonly broken: readonly string[];
}

const CODES = ['a', 'b', 'c'];
const LOCALES = ['en', 'fr', 'de'];

/** Runs the writers of one process concurrently, each writer's calls one after the other. */
export async function runCalls(
  documents: Documents,
  { seed, pool, writers, calls }: Orders,
): Promise<Report> {
  const connected: Connected[] = [];
  const undone: string[] = [];
  const refused: Record<string, number> = {};
  const broken: string[] = [];

  const write = async (writer: number, call: number): Promise<void> => {
    const random = randomOf(seed * 100_000 + writer * 1000 + call);
    const owners = documents(OWNER);
    const targets = documents(TARGET);
    const pages = documents(PAGE);
    const status = () => random.pick(['draft', 'published']);
    const fields = () => ({
      ...(random.below(2) && { code: random.pick(CODES) }),
      ...(random.below(3) === 0 && { tags: [{ tag: random.pick(CODES) }] }),
      ...(random.below(2) && { partner: random.pick([...pool.targets, null]) }),
    });
    const stamp = () => `${writer}/${random.below(1e6)}`;
    const documentId = random.pick(pool.owners);
    const mark = pool.marks[writer * calls + call];
    const kinds: readonly (() => Promise<unknown>)[] = [
      () => owners.update({ documentId, data: { title: stamp(), ...fields() }, status: status() }),
      () => owners.update({ documentId, data: { partner: random.pick(pool.targets) }, status: 'published' }),
      async () => {
        const data = { marks: { connect: [mark] } };
        const found = await owners.update({ documentId, data, status: status() });
        if (found && mark) connected.push({ owner: documentId, mark });
      },
      () => owners.create({ data: { title: stamp(), ...fields() }, status: status() }),
      () => owners.publish?.({ documentId }) ?? Promise.resolve(),
      () => owners.unpublish?.({ documentId }) ?? Promise.resolve(),
      () => {
        undone.push(documentId);
        return owners.discardDraft?.({ documentId }) ?? Promise.resolve();
      },
      () => {
        if (random.below(3)) return Promise.resolve();
        undone.push(documentId);
        return owners.delete({ documentId });
      },
      () => owners.clone({ documentId }),
      () => {
        const data = { holder: random.pick([...pool.owners, null]) };
        return targets.update({ documentId: random.pick(pool.targets), data, status: status() });
      },
      () => targets.publish?.({ documentId: random.pick(pool.targets) }) ?? Promise.resolve(),
      () => {
        const data = { title: stamp(), ...(random.below(2) && { kind: stamp() }) };
        const locale = random.pick(LOCALES);
        return pages.update({ documentId: random.pick(pool.pages), data, locale, status: status() });
      },
      () => pages.publish?.({ documentId: random.pick(pool.pages), locale: '*' }) ?? Promise.resolve(),
      () => pages.discardDraft?.({ documentId: random.pick(pool.pages), locale: '*' }) ?? Promise.resolve(),
      () => pages.delete({ documentId: random.pick(pool.pages), locale: random.pick(LOCALES) }),
      () => documents(HOME).create({ data: { title: stamp(), kind: stamp() }, locale: random.pick(LOCALES) }),
    ];
    await random
      .pick(kinds)()
      .catch((error: unknown) => {
        if (!(error instanceof ApiError))
          broken.push(error instanceof Error ? `${error.name}: ${error.message}` : 'no error');
        else
          refused[`${error.status} ${error.message}`] =
            (refused[`${error.status} ${error.message}`] ?? 0) + 1;
      });
  };

  await Promise.all(
    writers.map(async (writer) => {
      for (let call = 0; call < calls; call++) await write(writer, call);
    }),
  );
  return { connected, undone, calls: writers.length * calls, refused, broken };
}
