import { LOCALE_UID } from '../../schema/uids.js';
import { isObject } from '../../values/plain-object.js';
import { jsonLines, type Line } from '../archive/lines.js';
import type { ArchiveMember } from '../archive/members.js';
import { ImportError } from '../source/error.js';

/** The stage that a member of an archive belongs to; only Mangrove writes the stage `mangrove`. */
export const stageOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')));

export const LINE_STAGES = ['schemas', 'entities', 'links', 'configuration', 'mangrove'];
const STAGES = [...LINE_STAGES, 'assets'];
export const METADATA = 'metadata.json';

/**
 * The members of an archive, even if it was packed with an enclosing folder.
 * @throws ImportError at the end if none belongs to an export
 */
export async function* knownMembers(
  path: string,
  all: AsyncIterable<ArchiveMember>,
): AsyncGenerator<ArchiveMember> {
  let known = 0;
  for await (const member of all) {
    const [first = '', second = ''] = member.path.split('/');
    const isKnown = (name: string): boolean => STAGES.includes(name) || name === METADATA;
    const isWithin = !isKnown(first) && isKnown(second);
    const found = isWithin ? { ...member, path: member.path.slice(first.length + 1) } : member;
    if (STAGES.includes(stageOf(found.path))) known += 1;
    yield found;
  }
  if (known === 0)
    throw new ImportError(
      `${path} does not contain an export of Strapi: none of the folders ${LINE_STAGES.slice(0, 4).join(', ')}, assets`,
    );
}

export const isLines = ({ path }: ArchiveMember, stage: string): boolean =>
  stageOf(path) === stage && path.endsWith('.jsonl');

/** Validates a line of a stage; a string says what is wrong. */
const LINES: Readonly<Record<string, (line: Record<string, unknown>) => string | null>> = {
  entities({ type, id, data }) {
    if (typeof type !== 'string' || !type.includes('::')) return 'has no type';
    if (typeof id !== 'number' && typeof id !== 'string') return 'has no id';
    if (!isObject(data)) return 'has no data';
    return type === LOCALE_UID && typeof data['code'] !== 'string' ? 'is a locale without a code' : null;
  },
  configuration: ({ value }) => (isObject(value) ? null : 'has no value'),
};

/** The lines of a member, or what is wrong with a line. */
export async function* linesOf({ path, bytes }: ArchiveMember): AsyncGenerator<Line> {
  let number = 0;
  for await (const line of jsonLines(bytes)) {
    number = 'damaged' in line ? line.number : number + 1;
    const wrong = 'damaged' in line ? null : (LINES[stageOf(path)]?.(line.value) ?? null);
    yield wrong === null ? line : { damaged: wrong, number };
  }
}

/** The valid lines only. */
export async function* sound(member: ArchiveMember): AsyncGenerator<Record<string, unknown>> {
  for await (const line of linesOf(member)) if ('value' in line) yield line.value;
}
