import { isDeepStrictEqual } from 'node:util';
import { attributesIn } from '../../schema/files/raw.js';
import type { SchemaFile } from '../../schema/files/read.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import { type ImportProblem, lost, type SourceSchema } from '../source/types.js';
import { builtInAttributes, planFiles } from './plan.js';

/** Options of an attribute that affect what is stored; differences in others lose nothing. */
const DECISIVE = ['type', 'relation', 'target', 'component', 'components', 'repeatable', 'multiple'] as const;

const optionOf = (attribute: PlainObject, option: string): unknown => {
  const value = attribute[option];
  if (option === 'repeatable' || option === 'multiple') return value ?? false;
  return option === 'components' && Array.isArray(value) ? [...value].sort() : value;
};

/** Compares the schemas of the source and the project, as far as they affect what is stored. */
export function compareSchemas(
  source: readonly SourceSchema[],
  project: readonly SchemaFile[],
  privateAttributes: readonly string[] = [],
): readonly ImportProblem[] {
  const own = new Map<string, PlainObject>();
  for (const { uid, content } of project) own.set(uid, together(own.get(uid), objectAt(content)));
  return planFiles(source).flatMap(({ uid, content, kind }): ImportProblem[] => {
    const written = own.get(uid);
    if (!written && kind !== 'extension')
      return [problem(uid, `the project has no such ${kind === 'component' ? 'component' : 'type'}`)];
    const there =
      kind === 'extension'
        ? { ...written, attributes: { ...builtInAttributes(uid), ...attributesIn(objectAt(written)) } }
        : objectAt(written);
    return [
      ...compareAttributes(uid, content, there),
      ...comparePrivacy(uid, content, there, privateAttributes),
      ...(kind === 'extension' ? [] : compareOptions(uid, content, there)),
    ];
  });
}

/** What a file and code add to a type of a plugin. */
const together = (first: PlainObject | undefined, more: PlainObject): PlainObject =>
  first ? { ...first, ...more, attributes: { ...attributesIn(first), ...attributesIn(more) } } : more;

const problem = (at: string, why: string): ImportProblem => lost('schema', at, why);

function compareAttributes(uid: string, source: PlainObject, project: PlainObject): ImportProblem[] {
  const own = attributesIn(project);
  return Object.entries(attributesIn(source)).flatMap(([name, attribute]) => {
    const there = Object.hasOwn(own, name) ? own[name] : undefined;
    if (!there) return [problem(`${uid} ${name}`, 'the project has no such attribute')];
    const both = [objectAt(attribute), objectAt(there)] as const;
    const differing = DECISIVE.filter(
      (option) => !isDeepStrictEqual(optionOf(both[0], option), optionOf(both[1], option)),
    );
    return differing.map((option) => {
      const [a, b] = both.map((one) => JSON.stringify(one[option]));
      return problem(`${uid} ${name}`, `${option} is ${a} in the source, ${b} in the project`);
    });
  });
}

/** Attributes that were private and are not. */
function comparePrivacy(
  uid: string,
  source: PlainObject,
  project: PlainObject,
  privateAttributes: readonly string[],
): ImportProblem[] {
  const own = attributesIn(project);
  const isPrivate = (content: PlainObject, name: string): boolean => {
    const names = objectAt(content, 'options')['privateAttributes'];
    const { private: flag, type } = objectAt(attributesIn(content), name);
    return flag === true || type === 'password' || (Array.isArray(names) && names.includes(name));
  };
  return Object.keys(attributesIn(source))
    .filter((name) => Object.hasOwn(own, name) && isPrivate(source, name))
    .filter((name) => !isPrivate(project, name) && !privateAttributes.includes(name))
    .map((name) => problem(`${uid} ${name}`, 'is private in the source, not in the project'));
}

/** Draft & Publish and localization determine how many entries a document has. */
function compareOptions(uid: string, source: PlainObject, project: PlainObject): ImportProblem[] {
  const flags = (content: PlainObject) => ({
    draftAndPublish: objectAt(content, 'options')['draftAndPublish'] === true,
    localized: objectAt(content, 'pluginOptions', 'i18n')['localized'] === true,
    singleType: content['kind'] === 'singleType',
  });
  const [a, b] = [flags(source), flags(project)];
  return (['draftAndPublish', 'localized', 'singleType'] as const).flatMap((flag) =>
    a[flag] === b[flag]
      ? []
      : [problem(uid, `${flag} is ${a[flag]} in the source, ${b[flag]} in the project`)],
  );
}
