import type { Attribute, ContentType, Model, Schema } from '../schema/types.js';
import { answerType, inputType, linkType } from './attribute-type.js';
import { type TypeNames, typeNames } from './names.js';

/** The first line of a generated file. */
export const MADE_BY = '// Made by `mangrove types`';

const PREAMBLE = `/** A piece of text in a rich text (blocks) attribute. */
export interface BlockText {
  type: 'text';
  text: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
  code?: boolean;
}

export interface BlockLink {
  type: 'link';
  url: string;
  children: BlockText[];
}

export type BlockInline = BlockText | BlockLink;

export interface BlockListItem {
  type: 'list-item';
  children: BlockInline[];
}

export interface BlockList {
  type: 'list';
  format: 'ordered' | 'unordered';
  children: (BlockListItem | BlockList)[];
}

/** A block in a rich text (blocks) attribute. */
export type Block =
  | { type: 'paragraph' | 'quote' | 'code'; children: BlockInline[] }
  | { type: 'heading'; level: 1 | 2 | 3 | 4 | 5 | 6; children: BlockInline[] }
  | { type: 'image'; image: Record<string, unknown>; children: BlockText[] }
  | BlockList;

/** A document by its documentId or the numeric id of an entry, alone or in an object. */
export type Reference = string | number | { documentId: string; locale?: string } | { id: number };

/** A document to connect, and its position: at the end by default. */
export type Connection = Reference | (({ documentId: string; locale?: string } | { id: number }) & { position?: Position });

/** \`before\` and \`after\` name another document of the list. */
export type Position = { before: string | number } | { after: string | number } | { start: true } | { end: true };

/** The value of a relation or media attribute: references that replace all, or changes to the present ones. */
export type RelationInput =
  | Reference
  | readonly Reference[]
  | null
  | {
      set?: Reference | readonly Reference[] | null;
      connect?: Connection | readonly Connection[];
      disconnect?: Reference | readonly Reference[];
      /** If not strict, a position next to a document that is not connected means at the end. */
      options?: { strict?: boolean };
    };
`;

/**
 * TypeScript declarations of a project's content: an interface for the entries of each type, one for its
 * input, and the map from uid to both for `documents(uid)`. Relations, media, components and zones are
 * optional, since they must be populated.
 */
export function describeTypes(schema: Schema): string {
  const names = typeNames(schema);
  const models = [...schema.contentTypes.values(), ...schema.components.values()];
  const types = [...schema.contentTypes.values()].filter((type) => type.origin === 'api');
  return [
    `${MADE_BY} from the schema files (${schema.version}). Changes are lost when it is generated again.\n`,
    PREAMBLE,
    ...models.flatMap((model) => [
      entry(model, names),
      ...(hasInput(model) ? [input(model, names)] : []),
      modelTypes(model, names),
    ]),
    addresses(types, names),
    registry(types, names),
  ].join('\n');
}

/** REST never returns private attributes; the Document Service does. */
const shownOf = (model: Model): readonly Attribute[] =>
  [...model.attributes.values()].filter((attribute) => !attribute.private || !attribute.system);

const hasInput = (model: Model): boolean => model.modelType === 'component' || model.origin === 'api';

function entry(model: Model, names: TypeNames): string {
  const shown = shownOf(model);
  const optional = (attribute: Attribute): boolean =>
    attribute.kind !== 'scalar' ||
    attribute.private ||
    (model.modelType === 'component' && attribute.name === 'id');
  const members = shown.map((a) => `  ${a.name}${optional(a) ? '?' : ''}: ${answerType(a, names)};`);
  return `/** ${model.uid} */\nexport interface ${names.get(model.uid)} {\n${members.join('\n')}\n}\n`;
}

function input(model: Model, names: TypeNames): string {
  const taken = [...model.attributes.values()].filter((a) => !a.system && a.writable);
  const members = taken.map((a) => `  ${a.name}?: ${inputType(a, names)};`);
  const id = model.modelType === 'component' ? ['  id?: number;'] : ['  documentId?: string;'];
  return `export interface ${names.get(model.uid)}Input {\n${[...id, ...members].join('\n')}\n}\n`;
}

/** What queries of the model may name, and the targets of its links: `ModelTypes` of `mangrove`. */
function modelTypes(model: Model, names: TypeNames): string {
  const shown = shownOf(model);
  const links = shown.flatMap((attribute) => {
    const type = linkType(attribute, names);
    return type === null ? [] : [`    ${attribute.name}: ${type};`];
  });
  const hidden = shown.filter((attribute) => attribute.private).map(({ name }) => JSON.stringify(name));
  const name = names.get(model.uid);
  return [
    `export interface ${name}Types {`,
    `  entry: ${name};`,
    `  input: ${hasInput(model) ? `${name}Input` : 'Record<string, unknown>'};`,
    links.length === 0 ? '  links: Record<never, never>;' : `  links: {\n${links.join('\n')}\n  };`,
    `  private: ${hidden.join(' | ') || 'never'};`,
    '}\n',
  ].join('\n');
}

/** The content types by their names in the API's paths. */
function addresses(types: readonly ContentType[], names: TypeNames): string {
  const rows = (kind: ContentType['kind']): string[] =>
    types
      .filter((type) => type.kind === kind)
      .map((type) => {
        const name = kind === 'collectionType' ? type.pluralName : type.singularName;
        return `    ${JSON.stringify(name)}: ${names.get(type.uid)}Types;`;
      });
  const group = (member: string, lines: readonly string[]): string =>
    lines.length === 0 ? `  ${member}: Record<never, never>;` : `  ${member}: {\n${lines.join('\n')}\n  };`;
  return [
    '/** The content API, for `createClient<Api>()` of `mangrove/client`. */',
    'export interface Api {',
    group('collections', rows('collectionType')),
    group('singles', rows('singleType')),
    '}\n',
  ].join('\n');
}

const registry = (types: readonly ContentType[], names: TypeNames): string =>
  [
    "declare module 'mangrove' {",
    '  interface ContentTypes {',
    ...types.map((type) => `    ${JSON.stringify(type.uid)}: ${names.get(type.uid)}Types;`),
    '  }',
    '}',
    '',
  ].join('\n');
